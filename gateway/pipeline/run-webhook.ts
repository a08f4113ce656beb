import { providerHeaderNames } from '#contracts/deliveries.ts'
import { parse } from '#contracts/shared/parse.ts'
import type { DeliveryHeader, NativeWebhook } from '#native-routes/define-webhook.ts'
import type { Ports } from '#native-routes/ports.ts'
import { isObject } from '#shared/json.ts'
import { inSpan } from '#shared/tracing/trace.ts'
import { parseJson } from './parse-input.ts'

// Reads a delivery's header by its name in the API description, or by the provider's name. If the two names have
// different values, they are joined like repeated headers, which no signature check accepts.
const createDeliveryHeader =
  (header: DeliveryHeader): DeliveryHeader =>
  (name) => {
    const providerName = providerHeaderNames[name]
    const described = header(name)
    const provided = providerName === undefined ? undefined : header(providerName)
    if (described === undefined || provided === undefined || described === provided)
      return described ?? provided
    return `${described}, ${provided}`
  }

const handleDelivery = async (
  { contract: { body }, handle, ignore }: NativeWebhook,
  json: unknown,
  ports: Ports,
  header: DeliveryHeader,
): Promise<unknown> => {
  if (!body) return handle(json, ports, header)
  if (ignore && isObject(json) && !body.safeParse(json).success) {
    const ignored = await ignore(json, ports)
    if (ignored !== null) return ignored
  }
  return handle(parse(body, json), ports, header)
}

/**
 * Checks the signature header before reading the body, and the raw bytes before parsing them, so an unsigned request
 * costs little.
 */
export const runWebhook = async (
  webhook: NativeWebhook,
  readHeader: DeliveryHeader,
  readBody: () => Promise<Uint8Array>,
  ports: Ports,
): Promise<unknown> => {
  const header = createDeliveryHeader(readHeader)
  const verifyBody = ports.deliveries.requireSignature(webhook.contract.label, header)
  const rawBody = await inSpan('read body', readBody)
  await inSpan('verify signature', () => verifyBody(rawBody))
  const json = parseJson(rawBody)
  return inSpan('handle', () => handleDelivery(webhook, json, ports, header))
}
