// Reads names by the grammar of the Itanium C++ ABI
// (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), as far as kernels use it. Every rule answers
// with the most letters that its part can be printed with.
#include "kernels/printed_size.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

namespace maya {
namespace {

constexpr double kWord = 32;  // the longest builtin type, qualifier or operator, with what stands around it
constexpr int kDeepest = 200;
constexpr size_t kLongest = 1 << 16;

const char* const kPrefixOperators = "ngpsaddecontppmmszdlda";
const char* const kBinaryOperators =
    "plmimldvrmanoreoaSpLmImLdVrMaNoReOlsrslSrSeqneltgtlegessaaoocmpmptixdtds";

bool is_operator(const char* known, const char* code) {
  for (; *known; known += 2) {
    if (known[0] == code[0] && known[1] == code[1]) return true;
  }
  return false;
}

class Parser {
 public:
  explicit Parser(const char* text) : at_(text), end_(text + std::strlen(text)) {}

  std::optional<double> whole() {
    if (std::strncmp(at_, "_Z", 2) != 0 || static_cast<size_t>(end_ - at_) > kLongest) return std::nullopt;
    const double length = static_cast<double>(end_ - at_);
    at_ += 2;
    double size = encoding();
    if (is('.')) at_ = end_;  // what a compiler appends to a clone
    if (failed_ || at_ != end_) return std::nullopt;
    return size + kWord + length;
  }

 private:
  double fail() {
    failed_ = true;
    return 0;
  }
  bool is(char c) const { return !failed_ && *at_ == c; }
  bool are(const char* two) const { return !failed_ && at_[0] == two[0] && at_[1] == two[1]; }
  bool is_digit() const { return !failed_ && std::isdigit(static_cast<unsigned char>(*at_)); }
  bool take(char c) {
    if (!is(c)) return false;
    ++at_;
    return true;
  }
  bool take(const char* two) {
    if (!are(two)) return false;
    at_ += 2;
    return true;
  }
  double expect(char c) { return take(c) ? 0 : fail(); }

  // Deeper ones than this are nobody's name.
  struct Depth {
    explicit Depth(Parser* parser) : parser(parser) {
      if (++parser->depth_ > kDeepest) parser->failed_ = true;
    }
    ~Depth() { --parser->depth_; }
    Parser* parser;
  };

  // --- What numbers refer to ---

  double remember(double size) {
    largest_.push_back(largest_.empty() ? size : std::max(size, largest_.back()));
    return size;
  }

  // Demanglers disagree on whether closures count, so a number may mean any part up to a few behind it.
  double remembered(size_t number) {
    if (largest_.empty()) return fail();
    return largest_[std::min(number + 2 * closures_ + 2, largest_.size() - 1)];
  }

  size_t number_in_base(int base) {
    size_t number = 0;
    for (; !failed_ && *at_ && *at_ != '_'; ++at_) {
      int digit = std::isdigit(static_cast<unsigned char>(*at_)) ? *at_ - '0' : *at_ - 'A' + 10;
      if (digit < 0 || digit >= base || number > kLongest) return static_cast<size_t>(fail());
      number = number * static_cast<size_t>(base) + static_cast<size_t>(digit);
    }
    return number;
  }

  double substitution() {  // behind S
    if (std::strchr("tabsiod", *at_) && *at_) {
      ++at_;
      return 80;  // std::basic_string<char, std::char_traits<char>, std::allocator<char> >
    }
    size_t number = is('_') ? 0 : number_in_base(36) + 1;
    expect('_');
    return failed_ ? 0 : remembered(number);
  }

  double template_parameter() {  // behind T; it may mean a whole list
    if (!is('_')) number_in_base(10);
    expect('_');
    return arguments_ + kWord;
  }

  // --- Names ---

  double encoding() {
    Depth depth(this);
    if (is('T') || is('G')) return fail();  // tables and guards: no function
    double size = name();
    while (!failed_ && *at_ && *at_ != 'E' && *at_ != '.') size += type() + 2;
    return size;
  }

  double name() {
    Depth depth(this);
    if (take('N')) return nested();
    if (take('Z')) return local();
    bool repeated = is('S') && at_[1] != 't';
    double size = 0;
    if (take("St")) size += 5;
    size += repeated ? (++at_, substitution()) : unqualified();
    if (!is('I')) return size;
    if (!repeated) remember(size);
    return size + template_arguments();
  }

  double nested() {
    double size = 0;
    while (is('r') || is('V') || is('K') || is('R') || is('O')) size += kWord, ++at_;
    while (!failed_ && !take('E')) {
      bool repeated = is('S');
      size += part() + 2;
      if (!repeated && !is('E')) remember(size);
    }
    return size;
  }

  double part() {
    if (take('S')) return substitution();
    if (take('T')) return template_parameter();
    if (is('I')) return template_arguments();
    if (are("Dt") || are("DT")) return type();
    if (take('M')) return 0;
    return unqualified();
  }

  double local() {
    double size = encoding();
    expect('E');
    if (take('s')) {
      size += kWord;
    } else {
      if (take('d')) skip_number(), expect('_');
      size += name() + 2;
    }
    discriminator();
    return size;
  }

  void discriminator() {
    if (!take('_')) return;
    bool long_form = take('_');
    if (!is_digit()) fail();
    long_form ? skip_number() : void(++at_);
    if (long_form) expect('_');
  }

  double unqualified() {
    double size = 0;
    take('L');  // of this file alone
    if (is_digit()) {
      size += source_name();
    } else if (take('U')) {
      size += unnamed();
    } else if (is('C') || is('D')) {
      size += constructor();
    } else {
      size += operator_name();
    }
    while (take('B')) size += source_name() + kWord;
    return size;
  }

  double source_name() {
    size_t length = 0;
    for (; is_digit(); ++at_) {
      length = length * 10 + static_cast<size_t>(*at_ - '0');
      if (length > kLongest) return fail();
    }
    if (!length || length > static_cast<size_t>(end_ - at_)) return fail();
    at_ += length;
    longest_ = std::max(longest_, static_cast<double>(length));
    return static_cast<double>(length) + kWord;
  }

  double unnamed() {
    double size = kWord;
    ++closures_;
    if (take('l')) {
      while (!failed_ && !take('E')) size += type() + 2;
    } else if (!take('t')) {
      return fail();
    }
    skip_number();
    return size + expect('_');
  }

  double constructor() {
    bool inherits = are("CI");
    at_ += inherits ? 2 : 1;
    if (!is_digit()) return fail();
    ++at_;
    return kWord + longest_ + (inherits ? type() : 0);
  }

  double operator_name() {
    if (take("cv")) return kWord + type();
    if (take("li")) return kWord + source_name();
    bool known = !failed_ && (is_operator(kPrefixOperators, at_) || is_operator(kBinaryOperators, at_) ||
                              are("cl") || are("qu") || are("nw") || are("na"));
    if (!known) return fail();
    at_ += 2;
    return kWord;
  }

  void skip_number() {
    take('n');
    while (is_digit()) ++at_;
  }

  // --- Types ---

  double type() {
    Depth depth(this);
    if (failed_ || !*at_) return fail();
    if (is('r') || is('V') || is('K')) return qualified();
    if (std::strchr("PROCG", *at_)) return ++at_, remember(type() + kWord);
    if (take('u')) return remember(source_name());
    if (std::islower(static_cast<unsigned char>(*at_))) return ++at_, kWord;
    if (take('F')) return remember(function());
    if (take('A')) return remember(array());
    if (take('M')) return remember(type() + type() + kWord);
    if (take('T')) return with_arguments(remember(template_parameter()));
    if (is('S') && at_[1] != 't') return ++at_, repeated_type();
    if (take('D')) return special_type();
    return remember(name());
  }

  double qualified() {
    double size = 0;
    while (is('r') || is('V') || is('K')) size += kWord, ++at_;
    return remember(size + type());
  }

  double repeated_type() {
    bool standard = *at_ && std::strchr("absiod", *at_);
    double size = substitution();
    return standard && !is('I') ? size : with_arguments(size);
  }

  double with_arguments(double size) { return is('I') ? remember(size + template_arguments()) : size; }

  double function() {
    take('Y');
    double size = kWord;
    while (!failed_ && !take('E')) {
      if ((is('R') || is('O')) && at_[1] == 'E')
        ++at_;
      else
        size += type() + 2;
    }
    return size;
  }

  double array() {
    double size = kWord;
    if (is_digit())
      skip_number();
    else if (!is('_'))
      size += expression();
    expect('_');
    return size + type();
  }

  double special_type() {  // behind D
    if (take('p')) return remember((type() + 2) * (count_ + 1));
    if (take('t') || take('T')) {
      double size = expression() + kWord;
      expect('E');
      return remember(size);
    }
    if (take('v')) return remember(array());
    if (take('F')) {
      skip_number();
      return take('b') || take('x') ? kWord : expect('_') + kWord;
    }
    if (take('o')) return type() + kWord;
    if (*at_ && std::strchr("nfdehisuac", *at_)) return ++at_, kWord;
    return fail();
  }

  // --- Template arguments ---

  double template_arguments() {
    Depth depth(this);
    if (!take('I') && !take('J')) return fail();
    double size = 4, count = 0;
    while (!failed_ && !take('E')) size += argument() + 2, ++count;
    arguments_ = std::max(arguments_, size);
    count_ = std::max(count_, count);
    return size;
  }

  double argument() {
    if (is('L')) return literal();
    if (is('I') || is('J')) return template_arguments();
    if (!take('X')) return type();
    double size = expression();
    expect('E');
    return size;
  }

  double literal() {
    expect('L');
    double size = 0;
    if (take("_Z")) {
      size = encoding();
    } else {
      size = type() + kWord;
      for (; !failed_ && *at_ && *at_ != 'E'; ++at_) size += 1;
    }
    expect('E');
    return size;
  }

  double expression() {
    Depth depth(this);
    if (is('L')) return literal();
    if (take('T')) return template_parameter();
    if (take("sr")) return member_of_type();
    if (take("sp")) return (expression() + 2) * (count_ + 1);
    if (take("sZ")) return kWord + (take('T') ? template_parameter() : expression());
    if (take("fp")) return skip_number(), expect('_') + kWord;
    if (take("st") || take("at") || take("ti")) return type() + kWord;
    if (take("cl")) return calls(kWord);
    if (take("cv")) return type() + (take('_') ? calls(kWord) : expression()) + kWord;
    if (take("tl")) return calls(type() + kWord);
    if (take("il")) return calls(kWord);
    if (is_digit()) return with_plain_arguments(source_name());
    return operation();
  }

  // The demangler of libstdc++ tries such a name in a second way first, which for some that are damaged never
  // ends, but for those that begin as here.
  double member_of_type() {
    if (!is('N') && !is('S') && !is('T')) return fail();
    double size = type() + 2;
    return with_plain_arguments(size + unqualified());
  }

  double with_plain_arguments(double size) { return is('I') ? size + template_arguments() : size; }

  double calls(double size) {
    while (!failed_ && !take('E')) size += expression() + 2;
    return size;
  }

  double operation() {
    if (failed_ || !*at_) return fail();
    const char* code = at_;
    int operands = is_operator(kPrefixOperators, code) ? 1 : is_operator(kBinaryOperators, code) ? 2 : 0;
    if (are("qu")) operands = 3;
    if (!operands) return fail();
    at_ += 2;
    take('_');  // of ++x and --x
    double size = kWord;
    for (int i = 0; i < operands; ++i) size += expression() + 2;
    return size;
  }

  const char* at_;
  const char* end_;
  bool failed_ = false;
  int depth_ = 0;
  size_t closures_ = 0;
  double arguments_ = 0;         // the longest list of template arguments so far
  double count_ = 0;             // the most arguments in one
  double longest_ = 0;           // the longest name in the source
  std::vector<double> largest_;  // of the parts that a number may refer to, up to each
};

}  // namespace

std::optional<double> printed_size(const char* mangled) {
  return Parser(mangled).whole();
}

}  // namespace maya
