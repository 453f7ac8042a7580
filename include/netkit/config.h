/* SPDX-License-Identifier: MIT */
/* What a build is for: the class of machine, and which memory it may use. One of the macros
 * NETKIT_TARGET_… is defined by the build; none means the machine at hand (cpu). C99 and C++. */
#ifndef NETKIT_CONFIG_H
#define NETKIT_CONFIG_H

#if (defined(NETKIT_TARGET_CPU) + defined(NETKIT_TARGET_MCU_ARM) +      \
     defined(NETKIT_TARGET_MPU_ARM) + defined(NETKIT_TARGET_MCU_RISC) + \
     defined(NETKIT_TARGET_MPU_RISC) + defined(NETKIT_TARGET_MCU_ESP)) > 1
#error "more than one NETKIT_TARGET_… is defined: give the build one NETKIT_TARGET"
#endif

#if defined(NETKIT_TARGET_MCU_ARM) || defined(NETKIT_TARGET_MCU_RISC) || \
    defined(NETKIT_TARGET_MCU_ESP)
#define NETKIT_CLASS_MCU 1
#elif defined(NETKIT_TARGET_MPU_ARM) || defined(NETKIT_TARGET_MPU_RISC)
#define NETKIT_CLASS_MPU 1
#elif !defined(NETKIT_TARGET_CPU)
#define NETKIT_TARGET_CPU 1
#endif

#if defined(NETKIT_TARGET_MCU_ARM) || defined(NETKIT_TARGET_MPU_ARM)
#define NETKIT_ISA_ARM 1
#elif defined(NETKIT_TARGET_MCU_RISC) || defined(NETKIT_TARGET_MPU_RISC)
#define NETKIT_ISA_RISC 1
#elif defined(NETKIT_TARGET_MCU_ESP)
#define NETKIT_ISA_ESP 1
#endif

#if defined(NETKIT_TARGET_CPU)
#define NETKIT_DESKTOP 1
#endif

/* The heap behind an arena: on a cpu unless NETKIT_GLOBAL_ARENA, on an mpu where asked for. */
#if defined(NETKIT_HEAP_ARENA) && !defined(NETKIT_CLASS_MPU)
#error "NETKIT_HEAP_ARENA is a choice of the mpu targets: an mcu has no heap, a cpu has it anyway"
#endif
#if (defined(NETKIT_TARGET_CPU) && !defined(NETKIT_GLOBAL_ARENA)) || defined(NETKIT_HEAP_ARENA)
#ifndef NETKIT_ARENA_HEAP
#define NETKIT_ARENA_HEAP 1
#endif
#elif defined(NETKIT_ARENA_HEAP)
#error "NETKIT_ARENA_HEAP: this target has no heap arena"
#endif

/* Arenas that own a mapped file (Arena::attach_mapped_file). NETKIT_MMAP=0: none do. */
#if defined(NETKIT_MMAP) && NETKIT_MMAP && defined(NETKIT_CLASS_MCU)
#error "NETKIT_MMAP=1: an mcu maps no files"
#endif
#if !defined(NETKIT_CLASS_MCU) && (!defined(NETKIT_MMAP) || NETKIT_MMAP)
#define NETKIT_USE_MMAP 1
#endif

/* Kernels of chip vendors: netkit's own run; a switch that would do nothing is refused. */
#if defined(NETKIT_USE_CMSIS_NN) || (defined(NETKIT_CMSIS_NN) && NETKIT_CMSIS_NN)
#error "NETKIT_CMSIS_NN=1: CMSIS-NN has no adapter in this build; leave it out"
#endif
#if defined(NETKIT_USE_ESP_NN) || (defined(NETKIT_ESP_NN) && NETKIT_ESP_NN)
#error "NETKIT_ESP_NN=1: ESP-NN has no adapter in this build; leave it out"
#endif
#if defined(NETKIT_USE_NMSIS_NN) || (defined(NETKIT_NMSIS_NN) && NETKIT_NMSIS_NN)
#error "NETKIT_NMSIS_NN=1: NMSIS-NN has no adapter in this build; leave it out"
#endif
#if defined(NETKIT_USE_XNNPACK) || (defined(NETKIT_XNNPACK) && NETKIT_XNNPACK)
#error "NETKIT_XNNPACK=1: XNNPACK has no adapter in this build; leave it out"
#endif

/* On an mcu nothing prints through iostream. */
#if defined(NETKIT_CLASS_MCU) && !defined(NETKIT_DISABLE_IOSTREAM)
#define NETKIT_DISABLE_IOSTREAM 1
#endif
/* Leaving netkit's own kernels out needs a chip vendor's in their place. */
#if defined(NETKIT_MCU_ACCEL_ONLY) || defined(NETKIT_MCU_CMSIS_ONLY)
#error "NETKIT_MCU_ACCEL_ONLY: no vendor's kernels are in this build; leave it out"
#endif

/* The capacity that an arena has where nobody says another, in bytes. */
#ifndef NK_ARENA_DEFAULT_CAPACITY
#if defined(NETKIT_ARENA_CAPACITY)
#define NK_ARENA_DEFAULT_CAPACITY (NETKIT_ARENA_CAPACITY)
#elif defined(NETKIT_ARENA_KB)
#define NK_ARENA_DEFAULT_CAPACITY ((NETKIT_ARENA_KB)*1024)
#elif defined(NETKIT_CLASS_MCU)
#define NK_ARENA_DEFAULT_CAPACITY (64 * 1024)
#else
#define NK_ARENA_DEFAULT_CAPACITY (64 * 1024 * 1024)
#endif
#endif

#endif
