import { parseAddress } from './trusted-proxies.ts'

const name = /^[A-Za-z0-9._~-]+(?::[0-9]{0,5})?$/
const literal = /^\[([0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)\](?::[0-9]{0,5})?$/

/** Whether a value is a valid authority of a request: a name or an address, and an optional port. */
export const isHost = (value: string) => {
  if (!value.startsWith('[')) return name.test(value)
  const address = literal.exec(value)?.[1]
  return address !== undefined && parseAddress(address) !== null
}
