import { providerHeaderNames } from '#contracts/deliveries.ts'
import type { DeliveryHeader } from '#native-routes/define-webhook.ts'

/**
 * Reads the headers of a delivery under the name of the API description or that of the provider. Two different values
 * are joined as HTTP joins repeated headers; no signature check accepts such a list.
 */
export const createDeliveryHeader =
  (header: DeliveryHeader): DeliveryHeader =>
  (name) => {
    const providerName = providerHeaderNames[name]
    const described = header(name)
    const provided = providerName === undefined ? undefined : header(providerName)
    if (described === undefined || provided === undefined || described === provided)
      return described ?? provided
    return `${described}, ${provided}`
  }
