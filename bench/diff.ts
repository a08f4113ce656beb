import { contracts } from '#contracts/registry.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { acceptedDifferences } from '#migration/accepted-differences.ts'
import { compareResponses } from '#migration/diff/compare-responses.ts'
import { createMask } from '#migration/diff/mask.ts'
import { type RecordedResponse, readBody } from '#migration/diff/recorded-response.ts'
import { median } from './statistics.ts'

// `node bench/diff.ts`: the CPU time of comparing two bodies of 2 MB, from parsed values to the verdict. Garbage
// collection on other threads is included.

const rounds = 41
const bodyBytes = 2_000_000

const createId = (run: string, index: number) => `${run}-7c1a-7000-8000-${String(index).padStart(12, '0')}`

const createTrack = (run: string, second: number, changed: boolean) => (index: number) => ({
  id: createId(run, index),
  title: changed ? `Title ${index}, changed` : `Title ${index}`,
  artist: 'The Owls',
  isrc: null,
  iswc: null,
  releaseDate: '2026-01-31',
  durationMs: index,
  currentVersionId: createId(run, index + 1_000_000),
  processingState: 'ready',
  createdAt: `2026-11-20T10:00:${second}.000Z`,
  updatedAt: `2026-11-20T10:00:${second}.000Z`,
})

const tracks = (run: string, second: number, changed = false) => {
  const count = Math.ceil(bodyBytes / JSON.stringify(createTrack(run, second, changed)(1)).length)
  return {
    records: Array.from({ length: count }, (_, index) => createTrack(run, second, changed)(index)),
    nextCursor: null,
  }
}

const peaks = (seed: number) => ({
  trackId: 't1',
  versionId: 'v1',
  assetId: 'a1',
  version: 2,
  channels: 1,
  sampleRate: 44_100,
  samplesPerPixel: 256,
  bits: 8,
  length: bodyBytes / 8,
  data: Array.from({ length: bodyBytes / 4 }, (_, index) => ((index * seed) % 199) - 99),
  durationMs: 1000,
  createdAt: '2026-11-20T10:00:00.000Z',
})

const createResponse = (value: object): RecordedResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: readBody(JSON.stringify(value)),
})

const cases: readonly (readonly [what: string, contract: Contract, native: object, core: object])[] = [
  ['a list, equal', contracts['tracks.list'], tracks('a', 10), tracks('a', 10)],
  ['a list, recreated', contracts['tracks.list'], tracks('a', 10), tracks('b', 20)],
  ['a list, every title changed', contracts['tracks.list'], tracks('a', 10, true), tracks('a', 10)],
  ['a waveform, equal', contracts['tracks.peaks.detail'], peaks(7), peaks(7)],
  ['a waveform, different', contracts['tracks.peaks.detail'], peaks(7), peaks(11)],
]

const rules = { accepted: acceptedDifferences, today: '2026-12-01', mask: createMask('bench') }

for (const [what, contract, native, core] of cases) {
  const [ours, theirs] = [createResponse(native), createResponse(core)]
  const times = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage()
    compareResponses(contract, ours, theirs, rules)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  const [typical, best] = [median(times.slice(rounds >> 2)), Math.min(...times)]
  const { class: found } = compareResponses(contract, ours, theirs, rules)
  process.stdout.write(
    `${what.padEnd(30)} ${found.padEnd(11)} median ${typical.toFixed(1)} ms, best ${best.toFixed(1)} ms\n`,
  )
}
