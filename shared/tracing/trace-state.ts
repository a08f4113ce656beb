const maxMembers = 32
const maxLength = 512
/** Members that are longer are dropped first (W3C Trace Context, section 3.3.1.5). */
const maxCommonLength = 128
const maxKeyLength = 256
const maxValueLength = 256

const space = 0x20
const tab = 0x09
const comma = 0x2c
const equals = 0x3d

const isBlank = (code: number) => code === space || code === tab
const isLowerCaseOrDigit = (code: number) => (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
// _ - * / @
const isKeyCharacter = (code: number) =>
  isLowerCaseOrDigit(code) ||
  code === 0x5f ||
  code === 0x2d ||
  code === 0x2a ||
  code === 0x2f ||
  code === 0x40
const isValueCharacter = (code: number) => code >= space && code <= 0x7e && code !== comma && code !== equals

const isEvery = (text: string, from: number, to: number, matches: (code: number) => boolean) => {
  for (let index = from; index < to; index += 1) if (!matches(text.charCodeAt(index))) return false
  return true
}

/** Whether the member between these positions, without blanks around it, is a key and a value. */
const isMember = (text: string, from: number, to: number) => {
  const separator = text.indexOf('=', from)
  if (separator <= from || separator >= to - 1) return false
  if (separator - from > maxKeyLength || to - separator - 1 > maxValueLength) return false
  return (
    isLowerCaseOrDigit(text.charCodeAt(from)) &&
    isEvery(text, from, separator, isKeyCharacter) &&
    isEvery(text, separator + 1, to, isValueCharacter)
  )
}

// Most headers have one member, and need not be split.
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
 * The members of a `tracestate` header as it is sent on: at most 32 and 512 characters. Null if it is invalid or has no
 * members. It reads each character a constant number of times: the header is chosen by clients.
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
