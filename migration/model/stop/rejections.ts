import { compareRates, maxWaitMs } from './compare-rates.ts'
import { type CusumStream, createCusumParameters, createCusumStream, observe, type Rates } from './cusum.ts'
import {
  type RejectionKind,
  type ReportedVotes,
  rejectionKinds,
  type SideVotes,
  sumUsualVotes,
  type UsualVotes,
} from './votes.ts'

/** A stream of one kind of rejections. A client has one bad vote in it until its sum is zero again. */
interface RejectionStream {
  readonly cusum: CusumStream
  /** The clients that native has rejected since the sum was last zero. */
  voters: number[]
  /** What the core did since then. */
  core: { served: number; voters: number[] }
  /** When the sum reached the threshold, in milliseconds; null if it has not, or if the alarm is settled. */
  alarmedAt: number | null
}

/** Those of one code, by the kind of rejection. Only sums above zero are kept. */
export type RejectionStreams = Partial<Record<RejectionKind, RejectionStream>>

const minGoodRate = 0.005
const minBadRate = 0.05
/** Where more is rejected, as by a route that checks access codes, the clients decide, and not the code. */
const maxGoodRate = 0.9

/** A difference that chance explains in about 1 of 30,000 cases. */
const minEvidence = 8

/** After so many others, a client has another vote. */
const maxRemembered = 512

// Above the usual share in 39 of 40 cases (the score interval of Wilson).
const upperBoundOf = (rejected: number, votes: number) => {
  const rate = rejected / votes
  const square = 4 / votes
  return (rate + square / 2 + Math.sqrt(square * (rate * (1 - rate) + square / 4))) / (1 + square)
}

/** The shares of votes for the usual ones. Null if almost all are rejected. */
export const rejectionRatesFor = (usual: UsualVotes | null, kind: RejectionKind): Rates | null => {
  const rejected = usual?.rejected[kind] ?? 0
  const known = usual && upperBoundOf(rejected, usual.served + rejected)
  const good = Math.max(minGoodRate, known ?? 0)
  return good > maxGoodRate ? null : { good, bad: Math.min(Math.max(minBadRate, 4 * good), (1 + good) / 2) }
}

const createStream = (): RejectionStream => ({
  cusum: createCusumStream(),
  voters: [],
  core: { served: 0, voters: [] },
  alarmedAt: null,
})

/** The votes of several instances: a client that was rejected by two of them has one. */
const mergeVotes = (kind: RejectionKind, votes: readonly SideVotes[]) => ({
  served: votes.reduce((sum, { served }) => sum + served, 0),
  voters: votes.flatMap(({ rejected }) => rejected[kind] ?? []),
})

/** Returns those that are new. */
const remember = (known: number[], voters: readonly number[]) => {
  const added = [...new Set(voters)].filter((voter) => !known.includes(voter))
  known.push(...added)
  known.splice(0, known.length - maxRemembered)
  return added.length
}

const decide = ({ cusum, core }: RejectionStream, isAlone: boolean, waitedMs: number) => {
  if (isAlone) return 'alarm'
  const bad = core.voters.length
  const comparison = compareRates(cusum, { requests: core.served + bad, bad }, minEvidence)
  if (comparison === 'better') return 'alarm'
  return comparison === 'similar' || waitedMs >= maxWaitMs ? 'over' : 'open'
}

interface RejectionReports {
  /** Of the instances with the code of the streams, and of all. */
  readonly ofCode: readonly ReportedVotes[]
  readonly ofRoute: readonly ReportedVotes[]
  readonly threshold: number
}

const findRates = (kind: RejectionKind, ofCode: readonly ReportedVotes[], isAlone: boolean) => {
  const usual = ofCode.flatMap((votes) => votes.usual ?? [])
  // Where no core is left, only what is usual tells a fault from the clients, and limits depend on these alone.
  if (isAlone && (usual.length === 0 || kind === 'limited')) return null
  return rejectionRatesFor(usual.length > 0 ? sumUsualVotes(usual) : null, kind)
}

/** What becomes of a stream: `over` if nothing has to be remembered of it. */
const observeKind = (
  kind: RejectionKind,
  stream: RejectionStream,
  { ofCode, ofRoute, threshold }: RejectionReports,
  now: number,
): 'alarm' | 'open' | 'over' => {
  const isAlone = ofCode.every((votes) => votes.isAlone)
  const rates = findRates(kind, ofCode, isAlone)
  if (rates === null) return 'over'
  const native = mergeVotes(
    kind,
    ofCode.map((votes) => votes.native),
  )
  const core = mergeVotes(
    kind,
    ofRoute.map((votes) => votes.core),
  )
  const bad = remember(stream.voters, native.voters)
  stream.core.served += core.served
  remember(stream.core.voters, core.voters)
  if (!observe(stream.cusum, createCusumParameters(rates, threshold), native.served + bad, bad)) {
    stream.alarmedAt = null
    return stream.cusum.sum === 0 ? 'over' : 'open'
  }
  stream.alarmedAt ??= now
  return decide(stream, isAlone, now - stream.alarmedAt)
}

/**
 * Adds votes to the streams; returns whether native rejects more clients than the core. An alarm needs a certain number of
 * clients, seven where rejections are rare, so none can raise it alone by repeating a bad request. It is void if the
 * core has rejected at least half the share of its clients since the sum was last zero, and waits for up to 15 minutes
 * where chance may explain the difference. Where native serves all, the usual share alone decides.
 */
export const observeRejections = (
  streams: RejectionStreams,
  reports: RejectionReports,
  now: number,
): boolean => {
  const alarms = rejectionKinds.filter((kind) => {
    const isRejecting = reports.ofCode.some(({ native }) => native.rejected[kind] !== undefined)
    const stream = streams[kind] ?? (isRejecting ? createStream() : null)
    if (stream === null) return false
    const became = observeKind(kind, stream, reports, now)
    if (became === 'over') delete streams[kind]
    else streams[kind] = stream
    return became === 'alarm'
  })
  return alarms.length > 0
}

/** Whether an alarm waits for a comparison with the core. */
export const isRejectionAlarmed = (streams: RejectionStreams) =>
  Object.values(streams).some(({ alarmedAt }) => alarmedAt !== null)

export const copyRejections = (streams: RejectionStreams): RejectionStreams => structuredClone(streams)
