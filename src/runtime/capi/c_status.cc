// SPDX-License-Identifier: MIT
// Status of the C interface and its texts.
#include "runtime/capi/c_status.h"

#include "runtime/enum_code.h"

namespace netkit {

nk_status_t public_status(Status status) {
  switch (status) {
    case NK_STATUS_OK: return NK_OK;
    case NK_STATUS_BAD_MAGIC:
    case NK_STATUS_TRUNCATED:
    case NK_STATUS_CORRUPT:
    case NK_STATUS_BAD_PARAMS: return NK_ERR_MODEL_PARSE;
    case NK_STATUS_BAD_VERSION: return NK_ERR_VERSION_MISMATCH;
    case NK_STATUS_BAD_CRC: return NK_ERR_CHECKSUM;
    case NK_STATUS_UNKNOWN_KERNEL: return NK_ERR_UNKNOWN_KERNEL;
    case NK_STATUS_ARENA_TOO_SMALL: return NK_ERR_ARENA_OVERFLOW;
    case NK_STATUS_MISALIGNED: return NK_ERR_MISALIGNED;
    case NK_STATUS_NOT_LOADED: return NK_ERR_MODEL_NOT_LOADED;
    case NK_STATUS_UNSUPPORTED: return NK_ERR_UNSUPPORTED_NETWORK;
    case NK_STATUS_BAD_ARGUMENT: break;
  }
  return NK_ERR_INVALID_ARGUMENT;
}

}  // namespace netkit

extern "C" const char* nk_status_string(nk_status_t status) {
  switch (netkit::code_of(status)) {
    case NK_OK: return "ok";
    case NK_ERR_MODEL_OPEN: return "model file cannot be opened";
    case NK_ERR_MODEL_READ: return "model file cannot be read";
    case NK_ERR_MODEL_PARSE: return "not a .nk file, cut short or corrupt";
    case NK_ERR_UNSUPPORTED_NETWORK: return "the network needs something that is not supported";
    case NK_ERR_VERSION_MISMATCH: return "unsupported version of the .nk format";
    case NK_ERR_LAYER_CONFIG: return "wrong layer configuration";
    case NK_ERR_WEIGHT_MISMATCH: return "weights do not match the layer";
    case NK_ERR_ARENA_OVERFLOW: return "the arena is too small";
    case NK_ERR_INVALID_ARGUMENT: return "invalid argument";
    case NK_ERR_BUFFER_TOO_SMALL: return "the buffer is too small";
    case NK_ERR_MODEL_NOT_LOADED: return "no model is loaded";
    case NK_ERR_NOT_INITIALIZED: return "not initialised";
    case NK_ERR_CHECKSUM: return "checksum differs: the file was damaged";
    case NK_ERR_MISALIGNED: return "file or arena is not aligned as the file asks";
    case NK_ERR_UNKNOWN_KERNEL: return "a kernel of the file is not linked into this program";
  }
  return "unknown status";
}

extern "C" const char* nk_version_string(void) {
  return NK_VERSION_STRING;
}
