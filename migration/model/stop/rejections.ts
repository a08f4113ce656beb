import { minuteMs } from '#shared/durations.ts'
import { type Alarm, compareRates, discardAlarm, maxWaitMs, observeAlarm } from './alarm.ts'
import { createCusumParameters, createCusumStream, type Rates, upperBoundOf } from './cusum.ts'
import type {
  RejectionStream,
  RejectionStreams,
  ReportedVotes,
  SideVotes,
  UsualVotes,
} from './stored-observations.ts'

export const rejectionKinds = ['invalid', 'denied', 'not_found', 'conflict', 'limited'] as const
export type RejectionKind = (typeof rejectionKinds)[number]

const kindByStatus: Readonly<Record<number, RejectionKind>> = {
  400: 'invalid',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  401: 'denied',
  402: 'denied',
  403: 'denied',
  404: 'not_found',
  410: 'not_found',
  409: 'conflict',
  412: 'conflict',
  428: 'conflict',
  429: 'limited',
}

/**
 * Clients are told apart by 13 bits of a hash, which identify nobody. Two clients with the same bits count as one. That
 * can delay an alarm but never cause a false one.
 */
export const maxVoters = 8192

export interface Vote {
  readonly side: 'native' | 'core'
  readonly status: number
  /** Identifies the client, by a number below `maxVoters`. */
  readonly voter: number
  readonly epoch: number
}

/** The maximum number of voters per kind in a report. With this many, the side is certainly rejecting clients. */
export const maxVotersOfReport = 128

export const createUsualVotes = (): UsualVotes => ({ served: 0, rejected: {} })

/** Adds one vote. `kind` is null for a request that was served. */
export const addUsualVote = (votes: UsualVotes, kind: RejectionKind | null) => {
  if (kind === null) votes.served += 1
  else votes.rejected[kind] = (votes.rejected[kind] ?? 0) + 1
}

export const sumUsualVotes = (all: readonly UsualVotes[]): UsualVotes => {
  const sum = createUsualVotes()
  for (const { served, rejected } of all) {
    sum.served += served
    for (const kind of rejectionKinds) {
      const added = rejected[kind]
      if (added !== undefined) sum.rejected[kind] = (sum.rejected[kind] ?? 0) + added
    }
  }
  return sum
}

export const countUsualVotes = ({ served, rejected }: UsualVotes) =>
  rejectionKinds.reduce((sum, kind) => sum + (rejected[kind] ?? 0), served)

/** Counts the votes on one side of a route. A busy client has no more votes per minute than any other client. */
export class VoteCounter {
  readonly #onVote: (kind: RejectionKind | null) => void
  /** One bit for each client that was served in this minute. */
  #servedInMinute: Uint8Array | null = null
  readonly #rejectedInMinute = new Set<number>()
  #minute = 0
  #votes: SideVotes = { served: 0, rejected: {} }

  /** Calls `onVote` for each vote that counts towards the usual share: one per client, kind and minute. */
  constructor(onVote: (kind: RejectionKind | null) => void) {
    this.#onVote = onVote
  }

  count(status: number, voter: number, now: number) {
    this.#advance(now)
    if (status < 400) return this.#countServed(voter)
    const kind = kindByStatus[status]
    if (kind !== undefined) this.#countRejected(kind, voter)
  }

  take(): SideVotes {
    const taken = this.#votes
    this.#votes = { served: 0, rejected: {} }
    return taken
  }

  #advance(now: number) {
    const minute = Math.floor(now / minuteMs)
    if (minute === this.#minute) return
    this.#minute = minute
    this.#servedInMinute?.fill(0)
    this.#rejectedInMinute.clear()
  }

  #countServed(voter: number) {
    this.#servedInMinute ??= new Uint8Array(maxVoters / 8)
    const bits = this.#servedInMinute[voter >> 3] ?? 0
    const bit = 1 << (voter & 7)
    if ((bits & bit) !== 0) return
    this.#servedInMinute[voter >> 3] = bits | bit
    this.#votes.served += 1
    this.#onVote(null)
  }

  #countRejected(kind: RejectionKind, voter: number) {
    this.#votes.rejected[kind] ??= []
    const voters = this.#votes.rejected[kind]
    if (voters.length < maxVotersOfReport && !voters.includes(voter)) voters.push(voter)
    const vote = rejectionKinds.indexOf(kind) * maxVoters + voter
    if (this.#rejectedInMinute.has(vote)) return
    this.#rejectedInMinute.add(vote)
    this.#onVote(kind)
  }
}

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
  return observeAlarm(stream, createCusumParameters(rates, threshold), counted, now, (waitedMs) =>
    decide(stream, isAlone, waitedMs),
  )
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
