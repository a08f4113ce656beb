// Optimized: see "GET of 1 KiB, 32 connections" in bench/README.md.
import type { RequestLine } from '../../observability/log.ts'
import type { RequestSeries } from '../../observability/request-series.ts'
import type { LineBatches } from './batch-lines.ts'
import { escapeNonAscii } from './escape-non-ascii.ts'

const requestIdKey = Buffer.from(',"requestId":"')
const traceIdKey = Buffer.from('","traceId":"')
const accountKey = Buffer.from(',"account":')
const durationKey = Buffer.from(',"durationMs":')
const coreKey = Buffer.from(',"coreMs":')
const bytesInKey = Buffer.from(',"bytesIn":')
const bytesOutKey = Buffer.from(',"bytesOut":')

/** All names, and numbers of at most 24 characters. */
const maxOtherBytes = 256

const quote = 0x22

/**
 * Creates a function that appends the lines of requests to `batches`. `formatHead` formats the first fields of a line for a time
 * that `readTime` has returned, in ASCII. Returns false if a line may be longer than a batch.
 */
export const createRequestEncoder = (
  batches: LineBatches,
  readTime: () => string,
  formatHead: (time: string) => string,
) => {
  let headTime = ''
  let headBytes = Buffer.alloc(0)
  let message = ''
  let messageBytes = Buffer.alloc(0)

  return (series: RequestSeries, line: RequestLine, lineMessage: string): boolean => {
    const time = readTime()
    if (time !== headTime) {
      headTime = time
      headBytes = Buffer.from(formatHead(time))
    }
    if (lineMessage !== message) {
      message = lineMessage
      messageBytes = Buffer.from(`,"msg":"${message}"}\n`)
    }
    const { requestId, traceId, durationMs, coreMs, bytesIn, bytesOut } = line
    const account = line.account === undefined ? '' : escapeNonAscii(JSON.stringify(line.account))
    const variable = headBytes.length + series.bytes.length + messageBytes.length + account.length
    const buffer = batches.reserve(variable + requestId.length + traceId.length + maxOtherBytes)
    if (buffer === null) return false
    buffer.encoded(headBytes)
    buffer.encoded(requestIdKey)
    buffer.text(requestId)
    buffer.encoded(traceIdKey)
    buffer.text(traceId)
    buffer.bytes[buffer.length++] = quote
    buffer.encoded(series.bytes)
    if (account !== '') {
      buffer.encoded(accountKey)
      buffer.text(account)
    }
    buffer.encoded(durationKey)
    buffer.number(durationMs)
    if (coreMs !== undefined) {
      buffer.encoded(coreKey)
      buffer.number(coreMs)
    }
    if (bytesIn !== undefined) {
      buffer.encoded(bytesInKey)
      buffer.number(bytesIn)
    }
    if (bytesOut !== undefined) {
      buffer.encoded(bytesOutKey)
      buffer.number(bytesOut)
    }
    buffer.encoded(messageBytes)
    return true
  }
}
