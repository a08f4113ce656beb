import { minuteMs } from '#shared/durations.ts'
import type { SideVotes, UsualVotes } from './stored-observations.ts'

/** Reasons for rejecting a request with a 4xx status. */
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
  /** The epoch in which the request was decided. */
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
