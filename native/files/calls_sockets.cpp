// Sockets with a name in the file system. A name is at most 107 bytes long, too short for the layer's tree:
// it is written as the tree's descriptor and the program's own path.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdio>

#include "changes.h"
#include "view.h"

using namespace maya::files;

namespace {

constexpr size_t kHead = offsetof(sockaddr_un, sun_path);

bool has_name(const sockaddr* address, socklen_t bytes) {
  return active() && address && bytes > kHead && address->sa_family == AF_UNIX && address->sa_data[0];
}

struct Name {
  sockaddr_un address{};
  socklen_t bytes = 0;
  int tree = -1;

  bool write(const Text& path) {
    address.sun_family = AF_UNIX;
    tree = sys::open(settings().tree.text, O_PATH | O_DIRECTORY);
    int length =
        std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", tree, path.text);
    bytes = static_cast<socklen_t>(kHead + static_cast<size_t>(length) + 1);
    return tree >= 0 && static_cast<size_t>(length) < sizeof address.sun_path;
  }
  const sockaddr* as_address() const { return reinterpret_cast<const sockaddr*>(&address); }
  ~Name() {
    if (tree >= 0) sys::close(tree);
  }
};

// The path that the program gave, which need not end with a zero.
void read_name(const sockaddr* address, socklen_t bytes, Text& out) {
  const char* path = reinterpret_cast<const sockaddr_un*>(address)->sun_path;
  out.append(path, strnlen(path, bytes - kHead));
}

// 1 where the layer has the socket, under `name`; 0 where the program's own words are right; or -errno.
int name_held(const sockaddr* address, socklen_t bytes, Name& name) {
  if (!has_name(address, bytes) || layer_is_empty()) return 0;
  Text given;
  Found found;
  read_name(address, bytes, given);
  if (find(AT_FDCWD, given.text, Follow::yes, found) || found.kind != Kind::held) return 0;
  return name.write(found.path) ? 1 : -ENAMETOOLONG;
}

// "/proc/self/fd/7//tmp/x" is "/tmp/x".
void tell_own_name(sockaddr* address, socklen_t* bytes, socklen_t room) {
  if (!address || !bytes || *bytes > room || !has_name(address, *bytes)) return;
  auto* own = reinterpret_cast<sockaddr_un*>(address);
  int used = 0, number;
  if (std::sscanf(own->sun_path, "/proc/self/fd/%d/%n", &number, &used) != 1 || !used) return;
  if (own->sun_path[used] != '/') return;
  size_t length = std::strlen(own->sun_path + used);
  std::memmove(own->sun_path, own->sun_path + used, length + 1);
  *bytes = static_cast<socklen_t>(kHead + length + 1);
}

}  // namespace

MAYA_EXPORT int bind(int socket, const sockaddr* address, socklen_t bytes) noexcept {
  if (!has_name(address, bytes)) return answer(sys::call(SYS_bind, socket, address, bytes));
  Text given, place;
  Found found;
  Name name;
  read_name(address, bytes, given);
  int error = find(AT_FDCWD, given.text, Follow::no, found);
  if (!error && found.kind == Kind::passed) return answer(sys::call(SYS_bind, socket, address, bytes));
  if (!error) error = prepare_new(found, place);
  if (error) return answer(error == -EEXIST ? -EADDRINUSE : error);
  if (!name.write(found.path)) return answer(-ENAMETOOLONG);
  return answer(sys::call(SYS_bind, socket, &name.address, name.bytes));
}

MAYA_EXPORT int connect(int socket, const sockaddr* address, socklen_t bytes) {
  MAYA_NEXT(connect);
  Name name;
  int held = name_held(address, bytes, name);
  if (held < 0) return answer(held);
  return held ? next(socket, name.as_address(), name.bytes) : next(socket, address, bytes);
}

MAYA_EXPORT ssize_t sendto(int socket, const void* data, size_t size, int flags, const sockaddr* address,
                           socklen_t bytes) {
  MAYA_NEXT(sendto);
  Name name;
  int held = name_held(address, bytes, name);
  if (held < 0) return answer(held);
  return held ? next(socket, data, size, flags, name.as_address(), name.bytes)
              : next(socket, data, size, flags, address, bytes);
}

MAYA_EXPORT ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  MAYA_NEXT(sendmsg);
  Name name;
  int held = message ? name_held(static_cast<sockaddr*>(message->msg_name), message->msg_namelen, name) : 0;
  if (held < 0) return answer(held);
  if (!held) return next(socket, message, flags);
  msghdr own = *message;
  own.msg_name = &name.address;
  own.msg_namelen = name.bytes;
  return next(socket, &own, flags);
}

MAYA_EXPORT ssize_t recvfrom(int socket, void* data, size_t size, int flags, sockaddr* address,
                             socklen_t* bytes) {
  MAYA_NEXT(recvfrom);
  socklen_t room = bytes ? *bytes : 0;
  ssize_t result = next(socket, data, size, flags, address, bytes);
  if (result >= 0) tell_own_name(address, bytes, room);
  return result;
}

MAYA_EXPORT int getsockname(int socket, sockaddr* address, socklen_t* bytes) noexcept {
  socklen_t room = bytes ? *bytes : 0;
  int result = answer(sys::call(SYS_getsockname, socket, address, bytes));
  if (result == 0) tell_own_name(address, bytes, room);
  return result;
}
MAYA_EXPORT int getpeername(int socket, sockaddr* address, socklen_t* bytes) noexcept {
  socklen_t room = bytes ? *bytes : 0;
  int result = answer(sys::call(SYS_getpeername, socket, address, bytes));
  if (result == 0) tell_own_name(address, bytes, room);
  return result;
}
