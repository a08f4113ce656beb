import type { Dispatcher } from 'undici'
import { isKnownCoding } from '../headers/header-rules.ts'
import { type ParsedHeaders, readRawHeaders } from '../headers/raw-headers.ts'

// RFC 9112, section 6.1: HTTP/1.0 has no transfer codings.
const hasValidFraming = ({ 'transfer-encoding': coding }: ParsedHeaders, isHttp10: boolean) =>
  isHttp10 ? coding === undefined : isKnownCoding(coding)

/**
 * The headers of a final response as a flat list.
 * @throws Error on a head that undici accepts and that cannot be forwarded.
 */
export const readResponseHead = (
  controller: Dispatcher.DispatchController,
  status: number,
  parsed: ParsedHeaders,
  isHttp10: boolean,
): string[] => {
  if (status > 599) throw new RangeError(`the status ${status} is out of range`)
  if (!hasValidFraming(parsed, isHttp10)) throw new TypeError('the response has an invalid Transfer-Encoding')
  return readRawHeaders(controller, parsed)
}
