#include "kernels/policy.h"

#include <string>

#include "maya/record.h"
#include "maya/runtime.h"
#include "maya/values.h"

namespace maya {

void note_policy(const char* policy, const char* what) {
  static const char* const fields[] = {"site:s", "policy:s", "what:s"};
  static Schema schema{"value_policy", Kind::value_policy, fields, 3};
  std::string site = python_site();
  count_unknown_answer();
  note(schema, {intern(site.c_str()), intern(policy), intern(what)});
}

}  // namespace maya
