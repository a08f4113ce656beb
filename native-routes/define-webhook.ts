import type * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import type { Contract, ContractParts } from '#contracts/shared/contract.ts'
import type { RouteResult } from './define-route.ts'
import type { Ports } from './ports.ts'

/** A delivery as it came off the wire: the signature covers exactly these bytes. */
export interface SignedDelivery {
  readonly rawBody: Uint8Array
  header(name: string): string | undefined
}

type Payload<P extends ContractParts> = P['body'] extends z.ZodType ? z.output<P['body']> : undefined

export interface NativeWebhook<L extends Label = Label> {
  readonly kind: 'webhook'
  readonly contract: Contract<L>
  verify(delivery: SignedDelivery, ports: Ports): Promise<void>
  handle(payload: unknown, ports: Ports, delivery: SignedDelivery): Promise<unknown>
}

/**
 * Binds a webhook to its contract. Its order differs from a route's: the raw bytes are verified before they are
 * parsed and before any row is read.
 */
export const defineWebhook = <L extends Label, P extends ContractParts>(
  contract: Contract<L, P>,
  webhook: {
    /** Throws the refusal of its provider; returning means that the signature is good. */
    readonly verify: (delivery: SignedDelivery, ports: Ports) => Promise<void>
    /** Must be idempotent: the provider may deliver the same event again. */
    readonly handle: (
      payload: Payload<P>,
      ports: Ports,
      delivery: SignedDelivery,
    ) => Promise<RouteResult<P['responses']>>
  },
): NativeWebhook<L> => ({
  kind: 'webhook',
  contract,
  verify: webhook.verify,
  handle: (payload, ports, delivery) => webhook.handle(asPayloadOf<P>(payload), ports, delivery),
})

// The pipeline parsed the payload with this very contract, which the type of a registry cannot express.
const asPayloadOf = <P extends ContractParts>(payload: unknown) => payload as Payload<P>
