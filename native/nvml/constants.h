// NVML's numbers.
#pragma once

namespace maya::nvml {

enum Result : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
  kInsufficientSize = 7,
  kTimeout = 10,
  kVersionMismatch = 25,
};

// A driver of the branch that serves CUDA 12 and 13 programs alike.
constexpr const char* kDriverVersion = "580.95.05";
constexpr const char* kNvmlVersion = "13.580.95.05";
constexpr int kCudaDriverVersion = 13020;

enum Clock : int { kGraphicsClock = 0, kSmClock = 1, kMemoryClock = 2, kVideoClock = 3, kClocks = 4 };
enum Brand : int { kTesla = 2, kGeforce = 5, kNvidiaRtx = 13, kNvidia = 14 };
enum Topology : int { kInternal = 0, kNode = 40, kSystem = 50 };
enum P2P : int { kP2POk = 0, kP2PNotSupported = 5, kP2PNvlink = 2, kP2PIndices = 5 };
enum LinkDevice : int { kLinkToGpu = 0, kLinkToSwitch = 2 };
enum FabricState : unsigned char { kFabricNotSupported = 0, kFabricCompleted = 3 };

enum Field : unsigned {
  kFieldMemoryTemperature = 82,
  kFieldEnergy = 83,
  kFieldLinkSpeedFirst = 84,
  kFieldLinkSpeedLast = 89,
  kFieldLinkSpeedCommon = 90,
  kFieldLinkCount = 91,
  kFieldLinkSpeed = 164,
  kFieldLinkState = 165,
  kFieldPowerAverage = 185,
  kFieldPowerInstant = 186,
};
enum ValueType : int { kUnsignedInt = 1, kUnsignedLongLong = 3 };

constexpr unsigned kNoInstance = 0xffffffffu;

}  // namespace maya::nvml
