import type { Ports } from './ports.ts'

/**
 * What calling a port's method does outside this process.
 *
 * - `read`: nothing. The core can still serve the request afterwards.
 * - `effect`: it may change something at a provider or in the object store, so the core must not apply it again.
 * - `untracked`: it changes something that does not matter for a fallback: a rate limit, a buffered engagement event, a
 *   row of the transaction it is called in, a log line.
 */
export type Access = 'read' | 'effect' | 'untracked'

type PortMethod = (...input: never[]) => unknown

// If a method's result has methods too, as with `connect`, it is declared by a table of those methods. Only an
// asynchronous method can be an effect, because an asynchronous check of the authorization precedes it.
type MethodAccess<Result> = [Result] extends [Promise<unknown>]
  ? Access
  : [PartAccess<NonNullable<Result>>] extends [never]
    ? Exclude<Access, 'effect'>
    : PartAccess<NonNullable<Result>>

type PartAccess<Part> = Part extends PortMethod | Date | readonly unknown[]
  ? never
  : Part extends object
    ? keyof AccessTable<Part> extends never
      ? never
      : AccessTable<Part>
    : never

type MemberAccess<Member> = Member extends (...input: never[]) => infer Result
  ? MethodAccess<Result>
  : PartAccess<Member>

export type AccessTable<Port> = {
  readonly [Name in keyof Port as [MemberAccess<NonNullable<Port[Name]>>] extends [never]
    ? never
    : Name]: MemberAccess<NonNullable<Port[Name]>>
}

/** Leaves out `db`, which tracks its transactions itself and knows whether a ROLLBACK was confirmed. */
export type PortAccess = AccessTable<Omit<Ports, 'db'>>

export const portAccess = {
  retries: { once: 'untracked' },
  entitlements: { find: 'read', findLocked: 'read' },
  storage: { presignPut: 'read', presignGet: 'read', find: 'read', copy: 'effect', remove: 'effect' },
  media: { publicBaseUrl: 'read' },
  events: { record: 'untracked' },
  limits: { reserve: 'untracked' },
  accessCodes: { isCorrect: 'untracked', hash: 'read' },
  billing: {
    connect: {
      createCustomer: 'effect',
      openCheckout: 'effect',
      expireEarlierCheckouts: 'effect',
      openPortal: 'effect',
      findSubscription: 'read',
      listSubscriptions: 'read',
      changePlan: 'effect',
      cancelAtPeriodEnd: 'effect',
      resume: 'effect',
      cancelNow: 'effect',
    },
    parseEvent: 'read',
  },
  links: { tracking: { create: 'effect', reset: 'effect', countClicks: 'read' } },
  deliveries: { requireSignature: 'read' },
  analysisSlots: { run: 'read' },
  model: { complete: 'effect' },
  clock: { now: 'read' },
  log: { warn: 'untracked' },
} as const satisfies PortAccess
