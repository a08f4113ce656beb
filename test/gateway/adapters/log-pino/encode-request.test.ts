import { describe, expect, it } from 'vitest'
import { batchLines } from '#gateway/adapters/log-pino/batch-lines.ts'
import { createRequestEncoder } from '#gateway/adapters/log-pino/encode-request.ts'
import { type RequestLine, requestFields } from '#gateway/observability/log.ts'
import { createRequestSeries } from '#gateway/observability/request-series.ts'

const formatHead = (time: string) => `{"level":"info","time":"${time}"`
const time = '2026-01-02T03:04:05.678Z'

const line: RequestLine = {
  requestId: 'id',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  account: undefined,
  durationMs: 1.5,
  coreMs: undefined,
  bytesIn: undefined,
  bytesOut: undefined,
}

const series = createRequestSeries()(
  'GET',
  {
    label: 'packs.list',
    runtime: 'proxy',
    reason: 'split',
    epoch: 7,
    fallbackReason: 'timeout',
    isReplayed: true,
    unauthorizedReason: 'token_expired',
    error: 'core_timeout',
  },
  504,
)

const encode = (lines: readonly RequestLine[], maxBytes?: number) => {
  const written: Buffer[] = []
  const batches = batchLines((batch) => written.push(batch), maxBytes === undefined ? {} : { maxBytes })
  const append = createRequestEncoder(batches, () => time, formatHead)
  const accepted = lines.map((each) => append(series, each, 'request'))
  batches.flush()
  return { accepted, text: Buffer.concat(written).toString(), written }
}

// As an object that was formatted by JSON: the order of its members, and numbers as JavaScript writes them.
const format = (each: RequestLine) =>
  `${formatHead(time)},${JSON.stringify({ ...requestFields(series, each), msg: 'request' }).slice(1)}\n`

const fieldsInOrder = (text: string) => Object.entries(JSON.parse(text)).sort()

describe('createRequestEncoder', () => {
  const milliseconds = [
    0, 0.004, 0.005, 0.05, 0.1, 0.99, 0.995, 1, 1.005, 9.999, 10, 12.34, 99.9, 100.01, 59_999.5, 1e9,
  ]
  const sizes = [0, 9, 10, 99, 100, 1024, 2 ** 31, Number.MAX_SAFE_INTEGER / 200]

  it.each(milliseconds)('writes a duration of %f ms as JSON does', (durationMs) => {
    const logged = { ...line, durationMs, coreMs: durationMs }
    expect(fieldsInOrder(encode([logged]).text)).toEqual(fieldsInOrder(format(logged)))
  })

  it.each(sizes)('writes %d bytes as JSON does', (bytes) => {
    const logged = { ...line, bytesIn: Math.floor(bytes), bytesOut: Math.floor(bytes) }
    expect(fieldsInOrder(encode([logged]).text)).toEqual(fieldsInOrder(format(logged)))
  })

  it('writes numbers that are too large for hundredths', () => {
    const logged = { ...line, bytesOut: Number.MAX_SAFE_INTEGER }
    expect(JSON.parse(encode([logged]).text).bytesOut).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('escapes an account, and needs one byte for each character', () => {
    const { text, written } = encode([{ ...line, account: 'a"\\\n – 曲 🎵' }])
    expect(JSON.parse(text).account).toBe('a"\\\n – 曲 🎵')
    expect(Buffer.concat(written).length).toBe(text.length)
  })

  it('writes every field of the series', () => {
    expect(JSON.parse(encode([line]).text)).toEqual({
      level: 'info',
      time,
      requestId: 'id',
      traceId: line.traceId,
      method: 'GET',
      route: 'packs.list',
      runtime: 'proxy',
      reason: 'split',
      epoch: 7,
      fallback: true,
      fallbackReason: 'timeout',
      status: 504,
      replayed: true,
      error: 'core_timeout',
      unauthorizedReason: 'token_expired',
      durationMs: 1.5,
      msg: 'request',
    })
  })

  it('writes the time of each line', () => {
    const times = ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.679Z']
    const written: Buffer[] = []
    const batches = batchLines((batch) => written.push(batch))
    let call = 0
    const append = createRequestEncoder(batches, () => times[call++]!, formatHead)
    for (const _time of times) append(series, line, 'request')
    batches.flush()
    const lines = Buffer.concat(written).toString().trim().split('\n')
    expect(lines.map((each) => JSON.parse(each).time)).toEqual(times)
  })

  it('never writes beyond a batch, and refuses a line that is longer', () => {
    const maxBytes = 1000
    const lines = Array.from({ length: 60 }, (_, index) => ({ ...line, requestId: 'x'.repeat(index * 20) }))
    const { accepted, text, written } = encode(lines, maxBytes)
    const ids = text
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each).requestId)
    expect(ids).toEqual(lines.filter((_, index) => accepted[index]).map(({ requestId }) => requestId))
    expect(accepted).toContain(true)
    expect(accepted).toContain(false)
    for (const batch of written) expect(batch.length).toBeLessThanOrEqual(maxBytes)
  })
})
