const maxMembers = 32
const maxLength = 512
/** Longer members are dropped first (W3C Trace Context, section 3.3.1.5). */
const maxCommonLength = 128
const maxKeyLength = 256
const maxValueLength = 256

const space = 0x20
const tab = 0x09

const isBlank = (code: number) => code === space || code === tab

/** Roles a character may have in a member, as bits. */
const firstOfKey = 1
const ofKey = 2
const ofValue = 4

const rolesOf = (character: string) =>
  (/[a-z0-9]/.test(character) ? firstOfKey : 0) |
  (/[a-z0-9_*/@-]/.test(character) ? ofKey : 0) |
  (/[ -~]/.test(character) && !/[,=]/.test(character) ? ofValue : 0)

// Optimized: see "Traces that are not recorded" in dev/bench/results/observability.md.
const roles = Uint8Array.from({ length: 128 }, (_, code) => rolesOf(String.fromCharCode(code)))

const haveRole = (role: number, text: string, from: number, to: number) => {
  let common = role
  for (let index = from; index < to; index += 1) common &= roles[text.charCodeAt(index)] ?? 0
  return common === role
}

const isMember = (text: string, from: number, to: number) => {
  const separator = text.indexOf('=', from)
  if (separator <= from || separator >= to - 1) return false
  if (separator - from > maxKeyLength || to - separator - 1 > maxValueLength) return false
  return (
    haveRole(firstOfKey, text, from, from + 1) &&
    haveRole(ofKey, text, from, separator) &&
    haveRole(ofValue, text, separator + 1, to)
  )
}

const isOneMember = (header: string) =>
  header.length <= maxLength &&
  !header.includes(',') &&
  !isBlank(header.charCodeAt(header.length - 1)) &&
  isMember(header, 0, header.length)

const lengthOf = (members: readonly string[]) =>
  members.reduce((length, member) => length + member.length, members.length - 1)

const shorten = (members: readonly string[]) => {
  if (lengthOf(members) <= maxLength) return members
  const kept = members.filter(({ length }) => length <= maxCommonLength)
  while (lengthOf(kept) > maxLength) kept.pop()
  return kept
}

/**
 * Returns the `tracestate` header to pass on: at most 32 members and 512 characters. Null if invalid or empty. Reads
 * each character a constant number of times, because clients choose the header.
 */
export const parseTraceState = (header: string): string | null => {
  if (isOneMember(header)) return header
  const members: string[] = []
  for (let start = 0; start <= header.length; ) {
    const found = header.indexOf(',', start)
    const end = found === -1 ? header.length : found
    let from = start
    let to = end
    while (from < to && isBlank(header.charCodeAt(from))) from += 1
    while (to > from && isBlank(header.charCodeAt(to - 1))) to -= 1
    if (from < to) {
      if (members.length === maxMembers || !isMember(header, from, to)) return null
      members.push(header.slice(from, to))
    }
    start = end + 1
  }
  const kept = shorten(members)
  return kept.length === 0 ? null : kept.join(',')
}
