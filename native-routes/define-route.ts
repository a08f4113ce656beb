import type * as z from 'zod'
import type { Label, RowOf } from '#contracts/route-table.ts'
import type { Contract, ContractDefinition, PathParams, ResponseSchemas } from '#contracts/shared/contract.ts'
import type { Actor, Entitlement, Ports, ReadPorts } from './ports.ts'
import type { ScopeOf } from './scopes.ts'

type ActorOf<Auth> = Auth extends 'actor?'
  ? { readonly actor: Actor | null }
  : Auth extends 'actor'
    ? { readonly actor: Actor }
    : Auth extends `actor+${string}`
      ? { readonly actor: Actor; readonly entitlement: Entitlement }
      : unknown

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

export type RouteInput<L extends Label, P extends ContractDefinition> = ActorOf<RowOf<L>[2]> &
  ScopeOf<RowOf<L>[5]> & {
    readonly params: PathParams<RowOf<L>[1]>
    readonly query: Parsed<P['query']>
    readonly body: Parsed<P['body']>
    /** The click on a share link that led the caller here; null if none did. */
    readonly linkClickId: string | null
  }

/** A GET handler gets only ports that change nothing. */
export type PortsOf<L extends Label> = 'GET' extends RowOf<L>[0] ? ReadPorts : Ports

export interface StatusResult<S extends number = number, B = unknown> {
  readonly status: S
  readonly body: B
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler of a 204 returns nothing at all
type BodyOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : void
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never

/** The body if the contract has one success status; otherwise status and body. */
export type RouteResult<R extends ResponseSchemas> =
  IsUnion<keyof R> extends true
    ? { [S in keyof R & number]: StatusResult<S, BodyOf<R[S]>> }[keyof R & number]
    : BodyOf<R[keyof R]>

const unchangedResults = new WeakSet<object>()

/** Marks the result of a request that had nothing to do. It doesn't count against the limit on the route's effects. */
export const markUnchanged = <R extends object>(result: R): R => {
  unchangedResults.add(result)
  return result
}

export const isUnchanged = (result: unknown) =>
  typeof result === 'object' && result !== null && unchangedResults.has(result)

export interface NativeRoute<L extends Label = Label> {
  readonly kind: 'route'
  readonly contract: Contract<L>
  handle(input: object, ports: Ports): Promise<unknown>
}

export const defineRoute = <L extends Label, P extends ContractDefinition>(
  contract: Contract<L, P>,
  handler: (input: RouteInput<L, P>, ports: PortsOf<L>) => Promise<RouteResult<P['responses']>>,
): NativeRoute<L> => ({
  kind: 'route',
  contract,
  handle: (input, ports) => handler(asRouteInput<L, P>(input), asPortsOf<L>(ports)),
})

// The pipeline builds the input from this contract and row, but the type of the whole registry cannot express that.
const asRouteInput = <L extends Label, P extends ContractDefinition>(input: object) =>
  input as RouteInput<L, P>

// The full ports include the reading ones, but a conditional type on an unknown row cannot express that.
const asPortsOf = <L extends Label>(ports: Ports) => ports as PortsOf<L>

/**
 * Thrown by a handler, before any effect, for a request that only the core can serve so far. The request falls back.
 */
export class NotPortedError extends Error {
  override name = 'NotPorted'
}
