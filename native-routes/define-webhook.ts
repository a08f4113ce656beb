import type * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import type { Contract, ContractDefinition } from '#contracts/shared/contract.ts'
import type { RouteResult } from './define-route.ts'
import type { Ports } from './ports.ts'

/** Reads a header of a delivery; `name` is in lower case. */
export type DeliveryHeader = (name: string) => string | undefined

/** Verifies the signature of exactly these bytes; throws the error of the webhook if it is invalid. */
export type VerifyBody = (rawBody: Uint8Array) => Promise<void>

type Payload<P extends ContractDefinition> = P['body'] extends z.ZodType ? z.output<P['body']> : undefined

export interface NativeWebhook<L extends Label = Label> {
  readonly kind: 'webhook'
  readonly contract: Contract<L>
  requireSignature(header: DeliveryHeader, ports: Ports): VerifyBody
  handle(payload: unknown, ports: Ports, header: DeliveryHeader): Promise<unknown>
}

/**
 * Binds a webhook to its contract. The pipeline checks the signature header before it reads the body, and verifies the
 * raw bytes before it parses them and before any row is read.
 */
export const defineWebhook = <L extends Label, P extends ContractDefinition>(
  contract: Contract<L, P>,
  webhook: {
    /**
     * Throws the error of the webhook if no secret is set, or if the signature header is missing, malformed or stale.
     * Returns the function that verifies the body.
     */
    readonly requireSignature: (header: DeliveryHeader, ports: Ports) => VerifyBody
    /** Must be idempotent: a provider may deliver an event more than once. */
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
  handle: (payload, ports, header) => webhook.handle(asPayload<P>(payload), ports, header),
})

// The pipeline parses the payload with the same contract, which the type of a registry cannot express.
const asPayload = <P extends ContractDefinition>(payload: unknown) => payload as Payload<P>
