import type { Delivery } from '#contracts/deliveries.ts'
import { ApiError } from '#contracts/errors.ts'
import type { DeliveryHeader, VerifyBody } from '#native-routes/define-webhook.ts'

/**
 * Throws the error of the route if a header is missing, malformed or stale. Returns the function that verifies the
 * signature of exactly the received bytes.
 */
export type Scheme = (header: DeliveryHeader, secret: string, delivery: Delivery) => VerifyBody

const toleranceS = 300

/** Whether a time is within five minutes of now, which limits the replay of a captured delivery. */
export const isFresh = (unixSeconds: string | undefined) =>
  Math.abs(Date.now() / 1000 - Number(unixSeconds)) <= toleranceS

/** Returns the values of the declared headers, in their order; throws if the first is missing. */
export const requireHeaders = (header: DeliveryHeader, { headers, errors }: Delivery): readonly string[] => {
  const values = Object.keys(headers).map((name) => header(name) ?? '')
  if (!values[0]) throw new ApiError(errors.missing ?? errors.invalid)
  return values
}
