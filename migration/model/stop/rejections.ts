import { type Alarm, compareRates, discardAlarm, maxWaitMs, observeAlarm, settleAlarm } from './alarm.ts'
import { createCusumParameters, createCusumStream, type Rates } from './cusum.ts'
import { upperBoundOf } from './stop-rates.ts'
import type {
  RejectionStream,
  RejectionStreams,
  ReportedVotes,
  SideVotes,
  UsualVotes,
} from './stored-observations.ts'
import { type RejectionKind, rejectionKinds, sumUsualVotes } from './votes.ts'

const minGoodRate = 0.005
const minBadRate = 0.05
/** Above this rate, rejections depend on the clients, not on the code, as on a route that checks access codes. */
const maxGoodRate = 0.9

/** Chance alone produces this much evidence in about 1 of 30,000 cases. */
const minEvidence = 8

/** Once this many other clients have been rejected, a client gets another vote. */
const maxRemembered = 512

/** Returns the rejection rates to tell apart; null if almost everything is rejected anyway. */
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

/** Merges several instances' votes. A client that two of them rejected is listed twice; `remember` counts it once. */
const mergeVotes = (kind: RejectionKind, votes: readonly SideVotes[]) => ({
  served: votes.reduce((sum, { served }) => sum + served, 0),
  voters: votes.flatMap(({ rejected }) => rejected[kind] ?? []),
})

const remember = (known: number[], voters: readonly number[]) => {
  const added = [...new Set(voters)].filter((voter) => !known.includes(voter))
  known.push(...added)
  known.splice(0, known.length - maxRemembered)
  return added.length
}

const alarmWith = (peer: Alarm['peer']): Alarm => ({ cause: 'rejections', peer })

const decide = ({ cusum, core }: RejectionStream, isAlone: boolean, waitedMs: number): Alarm | null => {
  if (isAlone) return alarmWith(null)
  const bad = core.voters.length
  const comparison = compareRates(cusum, { requests: core.served + bad, bad }, minEvidence)
  if (comparison === 'better') return alarmWith(null)
  return comparison === 'similar' || waitedMs >= maxWaitMs ? alarmWith('core') : null
}

interface RejectionReports {
  /** `ofCode` are the reports from instances with the stream's code, `ofRoute` those from all instances. */
  readonly ofCode: readonly ReportedVotes[]
  readonly ofRoute: readonly ReportedVotes[]
  readonly threshold: number
}

const findRates = (kind: RejectionKind, ofCode: readonly ReportedVotes[], isAlone: boolean) => {
  const usual = ofCode.flatMap((votes) => votes.usual ?? [])
  // Without a core, only the usual share of rejections distinguishes a fault from the clients' behaviour. Rate limits
  // depend on clients alone.
  if (isAlone && (usual.length === 0 || kind === 'limited')) return null
  return rejectionRatesFor(usual.length > 0 ? sumUsualVotes(usual) : null, kind)
}

const observeKind = (
  kind: RejectionKind,
  stream: RejectionStream,
  { ofCode, ofRoute, threshold }: RejectionReports,
  now: number,
): Alarm | null => {
  const isAlone = ofCode.every((votes) => votes.isAlone)
  const rates = findRates(kind, ofCode, isAlone)
  if (rates === null) {
    discardAlarm(stream)
    return null
  }
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
  const counted = { requests: native.served + bad, bad }
  const waitedMs = observeAlarm(stream, createCusumParameters(rates, threshold), counted, now)
  return waitedMs === null ? null : settleAlarm(stream, decide(stream, isAlone, waitedMs))
}

/**
 * Adds votes to the streams, and returns an alarm if native rejects more clients than the core. An alarm needs several
 * clients (seven if rejections are rare), so nobody can raise one alone. An alarm is void if the share that the core
 * has rejected since the sum was last zero is at least half of native's. While chance may explain the difference, the
 * alarm waits for up to 15 minutes. If native serves everything, only the usual share of rejections decides.
 */
export const observeRejections = (
  streams: RejectionStreams,
  reports: RejectionReports,
  now: number,
): Alarm | null => {
  const alarms = rejectionKinds.map((kind) => {
    const isRejecting = reports.ofCode.some(({ native }) => native.rejected[kind] !== undefined)
    const stream = streams[kind] ?? (isRejecting ? createStream() : null)
    if (stream === null) return null
    const alarm = observeKind(kind, stream, reports, now)
    if (stream.cusum.sum === 0) delete streams[kind]
    else streams[kind] = stream
    return alarm
  })
  return alarms.find((alarm) => alarm?.peer === null) ?? null
}

export const isRejectionAlarmed = (streams: RejectionStreams) =>
  Object.values(streams).some(({ alarmedAt }) => alarmedAt !== null)
