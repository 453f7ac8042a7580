/* SPDX-License-Identifier: MIT */
/* The host's files and console, reached over semihosting. No buffers, no heap. */
#ifndef NETKIT_FIRMWARE_HOST_H
#define NETKIT_FIRMWARE_HOST_H

#include <stddef.h>
#include <stdint.h>

/* Opens for binary reading, or for writing from empty; a negative number when it cannot. */
intptr_t host_open_to_read(const char* path);
intptr_t host_open_to_write(const char* path);
void host_close(intptr_t file);

/* 0: all bytes were read (written), from where the last call ended. */
int host_read(intptr_t file, void* data, size_t bytes);
int host_write(intptr_t file, const void* data, size_t bytes);
int host_seek(intptr_t file, size_t offset);

/* The words that the emulator was given, one space between them; 0: done. */
int host_command_line(char* text, size_t bytes);

void host_print(const char* text);
void host_print_number(uintptr_t value); /* decimal */
void host_print_address(uintptr_t value); /* 0x… */

/* Ends the program; `code` is the exit status of the emulator. */
void host_exit(int code) __attribute__((noreturn));

#endif
