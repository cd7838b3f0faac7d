// Random initial values, each a function of the seed and of what it is for: `scope` is an instance
// (top.a.b), `name` a variable of it, in which __DOT__ stands for a dot where Verilator has inlined
// instances; `index` is a word of a memory.
static inline uint64_t nic_draw(const char* scope, const char* name, uint64_t index, unsigned part) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto take = [&](char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3; };
  const auto dot = [&] {
    for (const char* c = "__DOT__"; *c; ++c) take(*c);
  };
  for (const char* c = scope; *c; ++c) {
    if (*c == '.') dot(); else take(*c);
  }
  dot();
  for (const char* c = name; *c; ++c) take(*c);
  // splitmix64
  const uint64_t seed = static_cast<uint32_t>(Verilated::threadContextp()->randSeed());
  uint64_t z = hash + seed * 0x9e3779b97f4a7c15 + (index * 64 + part) * 0xd1342543de82ef95;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static inline uint64_t nic_draw_Q(const char* scope, const char* name, uint64_t index, int bits) {
  return nic_draw(scope, name, index, 0) >> (64 - bits);
}

static inline IData nic_draw_I(const char* scope, const char* name, uint64_t index, int bits) {
  return static_cast<IData>(nic_draw_Q(scope, name, index, bits));
}

static inline void nic_draw_W(const char* scope, const char* name, uint64_t index, int bits,
                              WDataOutP words) {
  for (int n = 0; 32 * n < bits; ++n) {
    const int more = bits - 32 * n < 32 ? 64 - (bits - 32 * n) : 32;
    words[n] = static_cast<EData>(nic_draw(scope, name, index, n) >> more);
  }
}
