// The step detector on programs written as strings.
//
// Each sign is one piece of device work, or something that happens between two:
//   F forward  B backward  E evaluation  m copy  a-z other work of that name, alike but for its size when
//   followed by a digit  o an optimiser's kernel  O an optimiser of PyTorch's says that it has stepped
//   M one is made  g a read of a gradient  W a graph that holds a whole step  + ten seconds pass
//   . the host waits for the device  { an executable begins with what follows, } on a second device  | a step
//   begins, by the user's word  $ the program ends
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
  explicit Program(size_t steps, size_t watched) : detector(rules(steps, watched), gradients) {}

  StepRules rules(size_t steps, size_t watched) {
    StepRules rules;
    rules.steps = steps;
    rules.limit_ns = 1'000'000'000'000;
    rules.work_between_looks = 1;
    rules.now_ns = [this] { return now_ns; };
    rules.watch = {watched, 100'000'000'000, 5, 3 * watched, 300'000'000'000};
    return rules;
  }

  void work(char sign, uint64_t size) {
    WorkKey key{static_cast<uint64_t>(sign) * 1000 + size * 2, static_cast<uint64_t>(sign)};
    key.update = sign == 'o' ? Update::optimizer : Update::none;
    key.in_backward = sign == 'B';
    key.moves_data = sign == 'm';
    key.amount = sign != 'm';
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
    } else if (sign == '.') {
      detector.separated();
    } else if (sign == '{' || sign == '}') {
      detector.executable_begins(static_cast<uint64_t>(all.at(at + 1)), sign == '{' ? 0 : 1);
    } else if (sign == '|') {
      detector.marked();
    } else if (sign == '$') {
      found = detector.conclude().steady;
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
std::string answer(const char* text, size_t steps = 2, size_t watched = 0, size_t* pieces = nullptr) {
  size_t start = 0;
  std::string all = unfold(text, start);
  Program program(steps, watched);
  for (size_t at = 0; at < all.size() && !program.detector.finished(); ++at) program.happen(all, at);
  if (pieces) *pieces = program.detector.pieces().size();
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
         {"((abcdefhi)8 +)3 (abcdefhi)8", "plain 8x23"},
         {"((abcdefhi)8 +)2 (abcdefhi)8", "none"},
         {"((mmmmmmmi)8 +)90", "none"},
         {"((abc)20 +)3", "none"},
         {"((abc)20 +)9", "plain 3x59"},
         {"((m)20 +)90", "none"},
         {"((abcdeFBh)8 +)11 (abcdeFBh)4", "none"},
         {"((abcdeFBh)8 +)14 (abcdeFBh)8", "plain 8x32"},
         {"M((abcdefhi)8 +)28 (abcdefhi)8", "none"},
         {"M((abcdefhi)8 +)33 (abcdefhi)8", "plain 8x32"}});
}

// More often than models have layers, or with the host waiting between: 10 s are enough.
void a_loop_that_is_no_stack_of_layers_is_believed_soon() {
  check({{"(abcdefhi)200 + (abcdefhi)300", "plain 8x32"},
         {"(abcdefhi)20 + (abcdefhi)80", "none"},
         {"(abcdefhi.)20 + (abcdefhi.)30", "plain 8x19"},
         {"(abc)2000 + (abc)3000", "none"},  // an autotuner's, perhaps
         {"(abc)200000 + (abc)3000", "plain 3x85"},
         {"(abc.)2000 + (abc.)3000", "plain 3x85"},
         {"M(abcdefhi)200 + (abcdefhi)300", "none"},
         {"(abcdeFBh)200 + (abcdeFBh)300", "none"}});
}

void a_loop_is_believed_when_the_program_ends() {
  check({{"x(a)1000 $", "plain 1x256"},
         {"x(a.)8 $", "plain 1x7"},
         {"x(a)100 $", "none"},  // perhaps layers of one pass
         {"x(abc.)7 $", "none"},
         {"xyz((abcdefhi)6 klmn.)3 $", "plain 52x2"},  // few images of many denoising steps
         {"xyz((abcdefhi)6 klmn)3 $", "none"},
         {"(m.)100 $", "none"},
         {"xyz(abcdeFBh.)20 $", "plain 8x19"},
         {"M(FBO)2 (E.)100 $", "none"}});
}

// Generated tokens: the same kernels on a cache that grows. Many are measured, as no two are the same.
void a_loop_of_growing_sizes_is_measured_long() {
  std::string text = "xyz", ends = "$";
  for (int i = 0; i < 20; ++i) text += "a" + std::to_string(i % 7) + "b" + std::to_string(i % 3) + "c.";
  CHECK(answer((text + ends).c_str()) == "plain 3x19");
  CHECK(answer((text.substr(0, text.size() / 2) + ends).c_str()) == "none");
}

void answers_of_many_tokens_each_begin_with_a_prompt() {
  std::string text;
  for (int i = 0; i < 90; ++i) {
    text +=
        (i % 30 == 0 ? "xyzxyzx." : "") + std::string("abcdef") + static_cast<char>('g' + i * i % 7) + "h.";
  }
  CHECK(answer((text + "$").c_str()) == "plain 8x29");
}

// Other kernels for other sizes, but as many between two waits.
void a_loop_of_varying_kernels_is_cut_where_the_host_waits() {
  std::string text = "xyz";
  const char* const one[] = {"abcdef.hi.", "abkdef.hi.", "abcdlf.hn."};
  for (int i = 0; i < 20; ++i) text += one[i * i * i % 7 % 3];
  CHECK(answer((text + "$").c_str()) == "plain 8x18");
}

void what_repeats_among_executables_is_the_step() {
  check({{"xyz(({abcdef m)20 +)3", "exact 1x2"},
         {"xyz(({abcdef m)3 +)2", "none"},
         {"((({abcdef)5 {p mmmmmm)8 +)3", "exact 1x2"},  // a loss is printed now and then
         {"((({abcdef)4 {uvwxy)10 +)4", "exact 4x2"},    // micro-batches
         {"(({a }a bcdef)20 +)3", "exact 1x2"},          // on two devices
         {"({p)50 (({abcdef)20 +)5", "exact 1x2"},       // many small ones make the weights
         {"({abcdef.)9 $", "exact 1x2"},
         {"({abcdef)9 $", "none"},  // perhaps micro-batches of one step
         {"(({abcdef .)20 +)3", "exact 1x2"},
         {"((|{abcdef)4 |{uvwxy)10", "exact 1x2"}});
}

void the_users_word_is_taken() {
  check({{"x|(ab|)3 a", "exact 1x2"},
         {"x|M(FBO FBO|)3 F", "exact 1x2"},
         {"x|(abab|)2 a", "none"},
         {"x|(a|b|c|)4 a", "exact 1x3"}});
}

void time_runs_out() {
  check({{"a (+)101 b", "late"}, {"a (+)99 b", "none"}});
}

// Two steps are measured and ten watched: how many are recorded.
void a_step_is_watched_until_what_is_unlike_it_comes_again() {
  struct Watched {
    const char* program;
    size_t pieces;  // 0: not finished
  } rows[] = {
      {"M(FBO)40 F", 3 + 10},
      {"M(FBO)12 F", 0},
      {"M(FBO)4 (+++++FBO)40 F", 5},            // a hundred seconds are up
      {"M((FBO)9 qFBO)4 F", 20},                // the tenth, and the next of its kind
      {"M((FBO)4 qFBO)8 F", 3 + 10},            // these came twice among the ten
      {"M((FBO)20 qFBO)4 F", 3 + 10},           // never seen
      {"M(FBO)5 qFBO (FBO)60 F", 3 + 30},       // never again
      {"M(FBO)5 qFBO (FBO)5 (++FBO)60 F", 25},  // nor in 300 s
      {"MM((FBO aO)9 qFBO aO)4 F", 40},         // two optimisers: a step has two pieces
  };
  for (const Watched& row : rows) {
    size_t pieces = 0;
    std::string got = answer(row.program, 2, 10, &pieces);
    if (row.pieces ? got != "none" && pieces == row.pieces : got == "none") continue;
    std::fprintf(stderr, "\"%s\" gave %s after %zu pieces\n", row.program, got.c_str(), pieces);
    std::_Exit(1);
  }
}

// Twelve steps are measured of programs in which every tenth, or every other, differs.
void many_updates_are_no_step() {
  CHECK(answer("M((FBO)9 qFBO)30 F", 12) == "exact 1x12");
  CHECK(answer("MM((FBO aO)9 qFBO aO)30 F", 12) == "exact 2x12");
  CHECK(answer("MM((FBO aO)2 qFBO aO (FBO bO)8 (FBO cO)9)40 F", 12) == "exact 2x12");
  CHECK(answer("MM(FBO fBO)20 F", 12) == "exact 2x12");
  std::string seventeen;
  for (char kind : std::string("abcdefhijklnpqrst")) seventeen += std::string(1, kind) + "FBO";
  CHECK(answer(("MM(" + seventeen + ")9 F").c_str()) == "none");  // of two optimisers
  CHECK(answer(("MMM(" + seventeen + ")9 F").c_str()) == "exact 17x2");
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
          {"a_step_is_watched_until_what_is_unlike_it_comes_again",
           a_step_is_watched_until_what_is_unlike_it_comes_again},
          {"many_updates_are_no_step", many_updates_are_no_step},
          {"a_loop_that_is_no_stack_of_layers_is_believed_soon",
           a_loop_that_is_no_stack_of_layers_is_believed_soon},
          {"a_loop_is_believed_when_the_program_ends", a_loop_is_believed_when_the_program_ends},
          {"a_loop_of_growing_sizes_is_measured_long", a_loop_of_growing_sizes_is_measured_long},
          {"answers_of_many_tokens_each_begin_with_a_prompt",
           answers_of_many_tokens_each_begin_with_a_prompt},
          {"what_repeats_among_executables_is_the_step", what_repeats_among_executables_is_the_step},
          {"a_loop_of_varying_kernels_is_cut_where_the_host_waits",
           a_loop_of_varying_kernels_is_cut_where_the_host_waits},
          {"the_users_word_is_taken", the_users_word_is_taken},
          {"time_runs_out", time_runs_out},
          {"any_repeated_step_is_found_whatever_came_before",
           any_repeated_step_is_found_whatever_came_before},
      },
      count, arguments);
}
