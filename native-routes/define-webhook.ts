import type * as z from 'zod'
import type { DeliveryLabel } from '#contracts/deliveries.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract, ContractDefinition } from '#contracts/shared/contract.ts'
import type { JsonObject } from '#shared/json.ts'
import type { RouteResult } from './define-route.ts'
import type { Ports } from './ports.ts'

/** `name` is in lower case. */
export type DeliveryHeader = (name: string) => string | undefined

/** Verifies the signature of exactly these bytes. Throws the webhook's error if it is invalid. */
export type VerifyBody = (rawBody: Uint8Array) => Promise<void>

type Payload<P extends ContractDefinition> = P['body'] extends z.ZodType ? z.output<P['body']> : undefined

export interface NativeWebhook<L extends Label = Label> {
  readonly kind: 'webhook'
  readonly contract: Contract<L & DeliveryLabel>
  handle(payload: unknown, ports: Ports, header: DeliveryHeader): Promise<unknown>
  /** Returns the response to a delivery that does not match the contract; null if such a delivery is an error. */
  readonly ignore: ((delivery: JsonObject, ports: Ports) => Promise<unknown>) | undefined
}

/**
 * The pipeline has already verified the raw bytes. `handle` must be idempotent, because providers repeat deliveries.
 * `ignore` accepts whatever a provider sends besides events. Otherwise, the provider would send it again.
 */
export const defineWebhook = <L extends DeliveryLabel, P extends ContractDefinition>(
  contract: Contract<L, P>,
  handle: (payload: Payload<P>, ports: Ports, header: DeliveryHeader) => Promise<RouteResult<P['responses']>>,
  ignore?: (delivery: JsonObject, ports: Ports) => Promise<RouteResult<P['responses']> | null>,
): NativeWebhook<L> => ({
  kind: 'webhook',
  contract,
  handle: (payload, ports, header) => handle(asPayload<P>(payload), ports, header),
  ignore,
})

// The pipeline parses the payload with this contract, but the type of the whole registry cannot express that.
const asPayload = <P extends ContractDefinition>(payload: unknown) => payload as Payload<P>
