// The step detector on programs written as strings.
//
// Each sign is one piece of device work, or something that happens between two:
//   F forward  B backward  E evaluation  m copy  a-z other work of that name, alike but for its size when
//   followed by a digit  o an optimiser's kernel  O an optimiser of PyTorch's says that it has stepped
//   M one is made  g a read of a gradient  W a graph that holds a whole step  + ten seconds pass
// (text)N repeats what stands between the parentheses; blanks are for the reader.
#include <string>
#include <utility>

#include "../../core/steps/detector.h"
#include "../expect.h"

using namespace maya;

namespace {

std::string unfold(const std::string& text, size_t& at) {
  std::string out;
  while (at < text.size() && text[at] != ')') {
    if (text[at] != '(') {
      out += text[at++];
      continue;
    }
    std::string inside = unfold(text, ++at);
    size_t digits = 0;
    int times = std::stoi(text.substr(++at), &digits);
    at += digits;
    while (times-- > 0) out += inside;
  }
  return out;
}

struct Program {
  explicit Program(size_t steps) : detector(rules(steps), gradients) {}

  StepRules rules(size_t steps) {
    StepRules rules;
    rules.steps = steps;
    rules.limit_ns = 1'000'000'000'000;
    rules.work_between_looks = 1;
    rules.now_ns = [this] { return now_ns; };
    return rules;
  }

  void work(char sign, uint64_t size) {
    WorkKey key{static_cast<uint64_t>(sign) * 1000 + size * 2, static_cast<uint64_t>(sign)};
    key.update = sign == 'o' ? Update::optimizer : Update::none;
    key.in_backward = sign == 'B';
    key.moves_data = sign == 'm';
    key.applies_gradient = sign == 'g';
    key.whole_step = sign == 'W';
    Outcome outcome = detector.observe(key);
    if (outcome.steady) found = outcome.steady;
    out_of_time |= outcome.out_of_time;
  }

  void happen(const std::string& all, size_t at) {
    char sign = all[at];
    if (sign == ' ' || (sign >= '0' && sign <= '9')) return;
    if (sign == '+') {
      now_ns += 10'000'000'000;
    } else if (sign == 'M') {
      detector.optimizer_made();
    } else if (sign == 'O') {
      detector.optimizer_stepped();
    } else {
      char next = at + 1 < all.size() ? all[at + 1] : ' ';
      work(sign, next >= '0' && next <= '9' ? static_cast<uint64_t>(next - '0') : 0);
    }
  }

  uint64_t now_ns = 1;
  GradientWatch gradients;
  StepDetector detector;
  std::optional<Steady> found;
  bool out_of_time = false;
};

// "exact 1x2": steps of one piece, two of them measured; "none"; "late" where time is up.
std::string answer(const char* text, size_t steps = 2) {
  size_t start = 0;
  std::string all = unfold(text, start);
  Program program(steps);
  for (size_t at = 0; at < all.size() && !program.detector.finished(); ++at) program.happen(all, at);
  if (program.out_of_time) return "late";
  if (!program.found) return "none";
  static const char* const names[] = {"", "exact", "loose", "plain", "alike"};
  return std::string(names[static_cast<size_t>(program.found->how)]) + " " +
         std::to_string(program.found->period) + "x" + std::to_string(program.found->steps);
}

struct Row {
  const char* program;
  const char* expected;
};

template <size_t Count>
void check(const Row (&rows)[Count]) {
  for (const Row& row : rows) {
    std::string got = answer(row.program);
    if (got == row.expected) continue;
    std::fprintf(stderr, "\"%s\" gave %s, not %s\n", row.program, got.c_str(), row.expected);
    std::_Exit(1);
  }
}

// Two steps are measured, so that three equal ones are asked for, and the work behind the last shows its end.
void an_optimiser_ends_a_step() {
  check({{"(FBo)3", "none"},
         {"(FBo)3 F", "exact 1x2"},
         {"M(FBO)3 F", "exact 1x2"},
         {"M(FBO)3", "none"},
         {"WWW", "exact 1x2"},
         {"(FBggg)4", "exact 1x2"},
         {"(FBgg)9", "none"}});
}

void start_up_and_evaluation_before_training_do_not_matter() {
  check({{"abcabc FFF M(FBO)4 F", "exact 1x2"},
         {"M(E)500 (FBO)4 F", "exact 1x2"},
         {"M FBO FcBO FBcO (FBO)3 F", "exact 1x2"},
         {"M(FBO)2 FcBO (FBO)2 F", "none"}});
}

void micro_batches_belong_to_one_step() {
  check({{"M(FBFBFBFBO)3 F", "exact 1x2"}, {"(FBFBFBFBo)3 F", "exact 1x2"}, {"M(FB)100", "none"}});
}

// Only the group repeats: two networks, or parts of one optimiser's parameters without a backward between.
void several_updates_may_make_a_step() {
  check({{"MM(FBO fBO)3 F", "exact 2x2"},
         {"(FBo fBo)3 F", "exact 2x2"},
         {"M(FBO aO)3 F", "exact 2x2"},
         {"(FBo ao)4 F", "exact 1x2"}});
}

void an_evaluation_between_epochs_is_no_step() {
  check({{"M((FBO)3 EEEE)4 F", "exact 1x2"},
         {"M(FBO FBO EEEEFBO)4", "exact 1x2"},
         {"M(FBO EEEEFBO)4 FBO F", "exact 1x1"}});
}

void steps_that_take_turns_are_measured_together_or_by_kind() {
  check({{"M(a1FBO a2FBO a3FBO)3 F", "exact 1x2"},  // other sizes: each is like the others
         {"M(aFBO bFBO cFBO)3 F", "exact 1x3"}});   // other work: the mean of all
}

void sizes_that_never_repeat_need_eight_more_steps() {
  check({{"M a1FBO a2FBO a4FBO a7FBO a1FBO a3FBO a8FBO a2FBO a9FBO a1FBO F", "none"},
         {"M a1FBO a2FBO a4FBO a7FBO a1FBO a3FBO a8FBO a2FBO a9FBO a1FBO a5FBO F", "loose 1x2"}});
}

// One of six kinds of work in an order that never repeats.
std::string other_kernels(size_t steps) {
  std::string text = "M";
  uint64_t state = 7;
  for (size_t i = 0; i < steps; ++i) {
    for (int k = 0; k < 8; ++k) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += static_cast<char>('p' + (state >> 60) % 6);
    }
    text += "FBO";
  }
  return text + "F";
}

void sixteen_steps_of_as_much_work_are_enough() {
  CHECK(answer(other_kernels(17).c_str()) == "none");
  CHECK(answer(other_kernels(18).c_str()) == "alike 1x16");
  CHECK(answer(("M" + other_kernels(40)).c_str()) == "none");  // two optimisers: a piece need not be a step
}

// 30 s without an optimiser; 120 s where gradients were computed; 300 s where an optimiser may still step.
void a_loop_without_updates_is_believed_after_a_while() {
  check({{"(abcdefhi)40", "none"},
         {"((abcdefhi)8 +)3 (abcdefhi)8", "plain 8x2"},
         {"((abcdefhi)8 +)2 (abcdefhi)8", "none"},
         {"((mmmmmmmi)8 +)90", "none"},
         {"((abc)20 +)90", "none"},
         {"((abcdeFBh)8 +)11 (abcdeFBh)4", "none"},
         {"((abcdeFBh)8 +)14 (abcdeFBh)8", "plain 8x2"},
         {"M((abcdefhi)8 +)28 (abcdefhi)8", "none"},
         {"M((abcdefhi)8 +)33 (abcdefhi)8", "plain 8x2"}});
}

void time_runs_out() {
  check({{"a (+)101 b", "late"}, {"a (+)99 b", "none"}});
}

// Every step of two to five letters, after every length of start-up, is found with its own period.
void any_repeated_step_is_found_whatever_came_before() {
  for (size_t length = 1; length <= 5; ++length) {
    for (size_t start_up = 0; start_up <= 4; ++start_up) {
      std::string step, text = "MM";
      for (size_t i = 0; i < length; ++i) step += std::string(1, static_cast<char>('p' + i)) + "FBO";
      for (size_t i = 0; i < start_up; ++i) text += std::string(i + 1, 'x') + "FBO";
      std::string wanted = "exact " + std::to_string(length) + "x2";
      CHECK(answer((text + "(" + step + ")3 F").c_str()) == wanted);
      CHECK(answer((text + "(" + step + ")2 F").c_str()) == "none");
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  return run_case(
      {
          {"an_optimiser_ends_a_step", an_optimiser_ends_a_step},
          {"start_up_and_evaluation_before_training_do_not_matter",
           start_up_and_evaluation_before_training_do_not_matter},
          {"micro_batches_belong_to_one_step", micro_batches_belong_to_one_step},
          {"several_updates_may_make_a_step", several_updates_may_make_a_step},
          {"an_evaluation_between_epochs_is_no_step", an_evaluation_between_epochs_is_no_step},
          {"steps_that_take_turns_are_measured_together_or_by_kind",
           steps_that_take_turns_are_measured_together_or_by_kind},
          {"sizes_that_never_repeat_need_eight_more_steps", sizes_that_never_repeat_need_eight_more_steps},
          {"sixteen_steps_of_as_much_work_are_enough", sixteen_steps_of_as_much_work_are_enough},
          {"a_loop_without_updates_is_believed_after_a_while",
           a_loop_without_updates_is_believed_after_a_while},
          {"time_runs_out", time_runs_out},
          {"any_repeated_step_is_found_whatever_came_before",
           any_repeated_step_is_found_whatever_came_before},
      },
      count, arguments);
}
