import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import type { Queryable } from '#db/client/connection.ts'
import { type Access, portAccess } from '#native-routes/port-access.ts'
import {
  type DatabasePort,
  type EventPort,
  isOwnerVisit,
  type NewEngagementEvent,
  type Ports,
} from '#native-routes/ports.ts'
import { lockScope, requireActor, type ScopeRequest } from '#native-routes/scopes.ts'
import { isObject } from '#shared/json.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import type { VerifiedToken } from '../request/context.ts'
import { requireUnexpiredActor } from './authenticate.ts'
import type { ResponseRecorder } from './idempotency/record-response.ts'
import { findRequiredFeature, lockEntitlement, requireGranted } from './require-entitlement.ts'

type EffectRunner = <T>(call: () => Promise<T>) => Promise<T>

interface EffectTable {
  readonly [name: string]: Access | EffectTable
}

type EffectList = readonly (readonly [name: string, parts: EffectList | null])[]

const listEffects = (table: EffectTable): EffectList =>
  Object.entries(table).flatMap(([name, access]): EffectList => {
    if (typeof access === 'string') return access === 'effect' ? [[name, null]] : []
    const parts = listEffects(access)
    return parts.length > 0 ? [[name, parts]] : []
  })

const effects = listEffects(portAccess)

const interceptPart = (part: unknown, parts: EffectList, run: EffectRunner): unknown => {
  if (!isObject(part)) return part
  const intercepted: Record<string, unknown> = { ...part }
  for (const [name, inner] of parts) {
    const member = part[name]
    if (typeof member !== 'function') {
      if (inner) intercepted[name] = interceptPart(member, inner, run)
      continue
    }
    const call = (input: unknown[]): unknown => Reflect.apply(member, part, input)
    intercepted[name] = inner
      ? (...input: unknown[]) => interceptPart(call(input), inner, run)
      : (...input: unknown[]) => run(async () => call(input))
  }
  return intercepted
}

const interceptEffects = (ports: Ports, run: EffectRunner): Ports =>
  // Replaces only existing members, each by a function with the same signature.
  interceptPart(ports, effects, run) as Ports

/** Whether a request had an effect: `maybe` while the outcome of a call or COMMIT is unknown, `done` afterwards. */
type EffectState = 'clean' | 'maybe' | 'done'

/** Checked again before the change is made. */
interface AuthorizedRequest {
  readonly token: VerifiedToken | null
  readonly request: ScopeRequest
}

/** The ports of one request. They track whether it may have had an effect: if so, the core must not serve it. */
export interface RequestPorts {
  readonly ports: Ports
  /** The core may serve the request only while this is `clean`. Otherwise, an effect could happen twice. */
  state(): EffectState
  /** Makes every further effect of this request throw, because the core may now serve it. */
  abandon(): void
  /** Stores the recorded events. Until then the core may still serve the request, and would record them itself. */
  flushEvents(): Promise<void>
  /** Returns the handler's ports. `recorder` stores the response for an idempotency key. */
  forHandler(authorized: AuthorizedRequest, recorder: ResponseRecorder | null): Ports
}

class RequestAbandoned extends Error {
  override name = 'RequestAbandoned'
}

class UndeclaredEffect extends Error {
  override name = 'UndeclaredEffect'
}

const flushTimeoutMs = 1000

class EventBuffer implements EventPort {
  readonly #events: EventPort
  readonly #buffered: NewEngagementEvent[] = []

  constructor(events: EventPort) {
    this.#events = events
  }

  async record(event: NewEngagementEvent) {
    this.#buffered.push(event)
  }

  async flush() {
    const awaited: Promise<void>[] = []
    for (const event of this.#buffered.splice(0)) {
      const recorded = this.#events.record(event)
      if (isOwnerVisit(event)) awaited.push(recorded)
    }
    if (awaited.length > 0) await withTimeout(flushTimeoutMs, Promise.all(awaited), () => undefined)
  }
}

/** The ports of a request that changes nothing, except that it may record events. */
class ReadingPorts implements RequestPorts {
  readonly ports: Ports
  readonly #events: EventBuffer | null

  constructor(ports: Ports, events: EventBuffer | null = null) {
    this.ports = events ? { ...ports, events: { record: (event) => events.record(event) } } : ports
    this.#events = events
  }

  state() {
    return 'clean' as const
  }

  abandon() {}

  async flushEvents() {
    await this.#events?.flush()
  }

  forHandler() {
    return this.ports
  }
}

const deletesScope = ({ method, path, scope }: Row) =>
  method === 'DELETE' && scope !== undefined && path.endsWith(`/:${scope}Id`)

/**
 * The ports of a request that changes something. They track transactions and declared effects. Because reading the body
 * takes time, the token, scope and entitlement are checked again before a change, and the rows that grant them are
 * locked. Once an effect has run, later changes are not checked, because they only record its outcome.
 */
class WritingPorts implements RequestPorts {
  readonly ports: Ports
  readonly #label: Label
  readonly #db: DatabasePort
  readonly #events: EventBuffer
  #isAbandoned = false
  #isDone = false
  /** Transactions and calls that have begun and may have had an effect. */
  #uncertain = 0
  #isRechecked = false
  #hasRunEffect = false

  constructor(ports: Ports, label: Label) {
    this.#label = label
    this.#db = ports.db
    this.#events = new EventBuffer(ports.events)
    this.ports = {
      ...ports,
      db: { ...ports.db, tx: (work) => this.#runTransaction(work) },
      events: { record: (event) => this.#events.record(event) },
    }
  }

  state() {
    if (this.#isDone) return 'done'
    return this.#uncertain > 0 ? 'maybe' : 'clean'
  }

  abandon() {
    this.#isAbandoned = true
  }

  flushEvents() {
    return this.#events.flush()
  }

  forHandler(authorized: AuthorizedRequest, recorder: ResponseRecorder | null): Ports {
    const ports = recorder ? recorder.addTo(this.ports) : this.ports
    const runTransaction = recorder ? recorder.tx : ports.db.tx
    return {
      ...interceptEffects(ports, async (call) => {
        await this.#recheckBeforeEffect(authorized)
        this.#hasRunEffect = true
        return this.#runEffect(call)
      }),
      db: {
        ...ports.db,
        tx: (work) =>
          runTransaction(async (tx) => {
            if (!this.#hasRunEffect) await this.#recheck(tx, authorized)
            return work(tx)
          }),
      },
    }
  }

  #requireNotAbandoned() {
    if (this.#isAbandoned) throw new RequestAbandoned()
  }

  async #runEffect<T>(call: () => Promise<T>): Promise<T> {
    this.#requireNotAbandoned()
    this.#uncertain += 1
    const result = await call()
    this.#isDone = true
    return result
  }

  async #runTransaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    this.#requireNotAbandoned()
    let workError: unknown
    try {
      // If BEGIN fails, `work` never runs and nothing is uncertain. The request may be abandoned while it waits for a
      // connection, so check again.
      const result = await this.#db.tx(async (tx) => {
        this.#requireNotAbandoned()
        this.#uncertain += 1
        try {
          return await work(tx)
        } catch (error) {
          workError = error
          throw error
        }
      })
      this.#isDone = true
      return result
    } catch (error) {
      // The driver rethrows `work`'s error only after the server has confirmed the ROLLBACK. After any other error,
      // such as a lost connection, the outcome is unknown.
      if (workError !== undefined && error === workError) this.#uncertain -= 1
      throw error
    }
  }

  // Same lock order as the core: the account's use of the feature, then the resource. Errors have the same
  // precedence as in the first check.
  async #recheck(tx: Queryable, { token, request }: AuthorizedRequest) {
    const label = this.#label
    const row = rowOf(label)
    const { auth, scope } = row
    requireUnexpiredActor(auth, token)
    const feature = findRequiredFeature(auth)
    const entitlement =
      feature && (await lockEntitlement(tx, feature, label, requireActor(request.actor), this.ports))
    if (scope) await lockScope(tx, scope, request, { deletes: deletesScope(row) })
    if (entitlement) await requireGranted(tx, entitlement, label, requireActor(request.actor))
    this.#isRechecked = true
  }

  async #recheckBeforeEffect(authorized: AuthorizedRequest) {
    if (this.#isRechecked || this.#hasRunEffect) return
    const { auth, scope } = rowOf(this.#label)
    if (scope || findRequiredFeature(auth)) await this.ports.db.tx((tx) => this.#recheck(tx, authorized))
    else requireUnexpiredActor(auth, authorized.token)
  }
}

const rejectEffect = () => Promise.reject(new UndeclaredEffect())

/** Returns ports that cannot change anything, so a bug in a handler cannot cause an untracked effect. */
const changeNothing = (ports: Ports): Ports => ({
  ...interceptEffects(ports, rejectEffect),
  db: { ...ports.db, tx: rejectEffect },
  events: { record: rejectEffect },
})

const readingPorts = new WeakMap<Ports, ReadingPorts>()

/** Creates ports that track no effects. Pass `ports` that reject effects, or use the result for reads only. */
export const createReadingPorts = (ports: Ports): RequestPorts => new ReadingPorts(ports)

/** All requests for rows without effects share the same ports. */
export const openRequestPorts = (ports: Ports, label: Label): RequestPorts => {
  const { effects } = rowOf(label)
  if (effects === 'write' || effects === 'external') return new WritingPorts(ports, label)
  const shared = readingPorts.get(ports) ?? new ReadingPorts(changeNothing(ports))
  readingPorts.set(ports, shared)
  return effects === 'none' ? shared : new ReadingPorts(shared.ports, new EventBuffer(ports.events))
}
