/* SPDX-License-Identifier: MIT */
#include "start.h"

#include "host.h"

/* Made by image.ld.in; all are aligned to 8. */
extern uint32_t fw_data_begin[], fw_data_end[], fw_data_in_flash[], fw_bss_begin[], fw_bss_end[];

void fw_start(void) {
  const uint32_t* from = fw_data_in_flash;
  for (uint32_t* word = fw_data_begin; word < fw_data_end; ++word) *word = *from++;
  for (uint32_t* word = fw_bss_begin; word < fw_bss_end; ++word) *word = 0;
  fw_switch_on();
  host_exit(fw_main());
}

void fw_fault(uintptr_t pc, uintptr_t cause) {
  host_print("netkit-firmware fault_pc=");
  host_print_address(pc);
  host_print(" fault_cause=");
  host_print_address(cause);
  host_print("\n");
  host_exit(kExitFault);
}
