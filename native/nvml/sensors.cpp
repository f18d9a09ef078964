// What a GPU measures: it is idle, whatever is asked of it.
#include "device.h"

using namespace maya::nvml;
using maya::device_model;

namespace {

struct Utilization {
  unsigned gpu, memory;
};

constexpr unsigned kIdleCelsius = 30;

unsigned idle_milliwatts() {
  return static_cast<unsigned>(device_model().power_limit_mw) / 10;
}

int clock_mhz(void* device, int type, unsigned int* clock) {
  if (type < 0 || type >= kClocks) return kInvalidArgument;
  const auto& model = device_model();
  return give(device, clock, (type == kMemoryClock ? model.memory_clock_khz : model.clock_khz) / 1000);
}

}  // namespace

extern "C" {

int nvmlDeviceGetUtilizationRates(void* device, void* utilization) {
  return give(device, static_cast<Utilization*>(utilization), Utilization{0, 0});
}

int nvmlDeviceGetTemperature(void* device, int sensorType, unsigned int* temp) {
  return sensorType == 0 ? give(device, temp, kIdleCelsius) : kInvalidArgument;
}

int nvmlDeviceGetTemperatureThreshold(void* device, int thresholdType, unsigned int* temp) {
  // Shutdown, slowdown, memory, GPU: of an H100.
  constexpr unsigned kThresholds[] = {95, 90, 95, 87};
  if (thresholdType < 0 || thresholdType > 3) return kInvalidArgument;
  return give(device, temp, kThresholds[thresholdType]);
}

int nvmlDeviceGetFanSpeed(void*, unsigned int*) {
  return initialized() ? kNotSupported : kUninitialized;  // as on boards that the chassis cools
}

int nvmlDeviceGetPowerUsage(void* device, unsigned int* power) {
  return give(device, power, idle_milliwatts());
}

int nvmlDeviceGetPowerManagementMode(void* device, int* mode) {
  return give(device, mode, 1);
}

int nvmlDeviceGetPowerManagementLimit(void* device, unsigned int* limit) {
  return give(device, limit, device_model().power_limit_mw);
}

int nvmlDeviceGetPowerManagementDefaultLimit(void* device, unsigned int* defaultLimit) {
  return nvmlDeviceGetPowerManagementLimit(device, defaultLimit);
}

int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned int* limit) {
  return nvmlDeviceGetPowerManagementLimit(device, limit);
}

int nvmlDeviceGetPowerManagementLimitConstraints(void* device, unsigned int* minLimit,
                                                 unsigned int* maxLimit) {
  int result = give(device, minLimit, device_model().power_limit_mw / 2);
  return result == kSuccess ? give(device, maxLimit, device_model().power_limit_mw) : result;
}

int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* energy) {
  return give(device, energy, 0);
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned int* clock) {
  return clock_mhz(device, type, clock);
}

int nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned int* clock) {
  return clock_mhz(device, type, clock);
}

int nvmlDeviceGetApplicationsClock(void* device, int clockType, unsigned int* clockMHz) {
  return clock_mhz(device, clockType, clockMHz);
}

int nvmlDeviceGetDefaultApplicationsClock(void* device, int clockType, unsigned int* clockMHz) {
  return clock_mhz(device, clockType, clockMHz);
}

int nvmlDeviceGetMaxCustomerBoostClock(void* device, int clockType, unsigned int* clockMHz) {
  return clock_mhz(device, clockType, clockMHz);
}

int nvmlDeviceGetClock(void* device, int clockType, int, unsigned int* clockMHz) {
  return clock_mhz(device, clockType, clockMHz);
}

int nvmlDeviceGetPerformanceState(void* device, int* pState) {
  return give(device, pState, 0);
}

int nvmlDeviceGetPowerState(void* device, int* pState) {
  return give(device, pState, 0);
}

int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* clocksEventReasons) {
  return give(device, clocksEventReasons, 1);  // idle
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* clocksThrottleReasons) {
  return give(device, clocksThrottleReasons, 1);
}

int nvmlDeviceGetTotalEccErrors(void* device, int, int, unsigned long long* eccCounts) {
  return give(device, eccCounts, 0);
}

}  // extern "C"
