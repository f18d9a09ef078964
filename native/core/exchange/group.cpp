#include "maya/exchange.h"

namespace maya {

Group& this_threads_group() {
  thread_local Group group;
  return group;
}

}  // namespace maya
