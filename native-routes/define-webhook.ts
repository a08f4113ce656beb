import type * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import type { Contract, ContractParts } from '#contracts/shared/contract.ts'
import type { RouteResult } from './define-route.ts'
import type { Ports } from './ports.ts'

/** Reads a header of a delivery by its name in lower case. */
export type DeliveryHeader = (name: string) => string | undefined

/** Checks that the signature covers exactly these bytes; throws the error of its provider unless it does. */
export type VerifyBody = (rawBody: Uint8Array) => Promise<void>

type Payload<P extends ContractParts> = P['body'] extends z.ZodType ? z.output<P['body']> : undefined

export interface NativeWebhook<L extends Label = Label> {
  readonly kind: 'webhook'
  readonly contract: Contract<L>
  requireSignature(header: DeliveryHeader, ports: Ports): VerifyBody
  handle(payload: unknown, ports: Ports, header: DeliveryHeader): Promise<unknown>
}

/**
 * Binds a webhook to its contract. Its order differs from a route's: the signature header is judged before the body
 * is read, and the raw bytes are verified before they are parsed and before any row is read.
 */
export const defineWebhook = <L extends Label, P extends ContractParts>(
  contract: Contract<L, P>,
  webhook: {
    /**
     * Throws the error of its provider where no secret is set or the signature header is missing, malformed or stale;
     * returns the check of the body.
     */
    readonly requireSignature: (header: DeliveryHeader, ports: Ports) => VerifyBody
    /** Must be idempotent: the provider may deliver the same event again. */
    readonly handle: (
      payload: Payload<P>,
      ports: Ports,
      header: DeliveryHeader,
    ) => Promise<RouteResult<P['responses']>>
  },
): NativeWebhook<L> => ({
  kind: 'webhook',
  contract,
  requireSignature: webhook.requireSignature,
  handle: (payload, ports, header) => webhook.handle(asPayloadOf<P>(payload), ports, header),
})

// The pipeline parsed the payload with this very contract, which the type of a registry cannot express.
const asPayloadOf = <P extends ContractParts>(payload: unknown) => payload as Payload<P>
