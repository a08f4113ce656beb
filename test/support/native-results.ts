import type { Label } from '#contracts/route-table.ts'
import type { TestGatewayOptions } from './gateway-options.ts'
import { createIdleStops } from './idle-stops.ts'

interface NativeResult {
  readonly label: Label
  readonly failed: boolean
}

/** The results of native in the order in which a gateway with these options learns them; it stops no route. */
export const recordNativeResults = () => {
  const results: NativeResult[] = []
  const stops: TestGatewayOptions['stops'] = {
    ...createIdleStops(),
    recordNative: (label, failed) => void results.push({ label, failed }),
  }
  return { results, options: { stops } }
}
