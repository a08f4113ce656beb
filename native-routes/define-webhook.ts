import type * as z from 'zod'
import type { DeliveryLabel } from '#contracts/deliveries.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract, ContractDefinition } from '#contracts/shared/contract.ts'
import type { RouteResult } from './define-route.ts'
import type { Ports } from './ports.ts'

/** Reads a header of a delivery; `name` is in lower case. */
export type DeliveryHeader = (name: string) => string | undefined

/** Verifies the signature of exactly these bytes; throws the error of the webhook if it is invalid. */
export type VerifyBody = (rawBody: Uint8Array) => Promise<void>

/** A delivery as it was parsed, before it is validated. */
export type JsonObject = Readonly<Record<string, unknown>>

type Payload<P extends ContractDefinition> = P['body'] extends z.ZodType ? z.output<P['body']> : undefined

export interface NativeWebhook<L extends Label = Label> {
  readonly kind: 'webhook'
  readonly contract: Contract<L & DeliveryLabel>
  handle(payload: unknown, ports: Ports, header: DeliveryHeader): Promise<unknown>
  /** The response to an object that does not match the contract; null if that is an error. */
  readonly ignore: ((delivery: JsonObject, ports: Ports) => Promise<unknown>) | undefined
}

/**
 * Binds the handler of a webhook to its contract. Before it runs, the pipeline checks the signature header, reads the
 * body, verifies the raw bytes and parses them. `handle` must be idempotent: a provider may deliver an event more than
 * once. `ignore` responds to what the provider delivers besides its events: it would deliver it again after an error.
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

// The pipeline parses the payload with the same contract, which the type of a registry cannot express.
const asPayload = <P extends ContractDefinition>(payload: unknown) => payload as Payload<P>
