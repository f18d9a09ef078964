// From device work to activity records.
#pragma once

#include <cstdint>

#include "maya/runtime.h"

namespace maya::cupti {

void on_activity(const Activity& activity);

// As CUPTI numbers them: the first stream, device 0's default one, is 7; contexts count from 1.
uint32_t stream_id(uint16_t number);
uint32_t context_id(int device);

void set_thread_id_type(int type);
int thread_id_type();

}  // namespace maya::cupti
