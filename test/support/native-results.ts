import type { Label } from '#contracts/route-table.ts'
import { createIdleGuard } from './idle-guard.ts'

interface NativeResult {
  readonly label: Label
  readonly failed: boolean
}

/**
 * Records native's results, in the order in which a gateway that gets the returned options learns them. Their guard
 * stops no route.
 */
export const recordNativeResults = () => {
  const results: NativeResult[] = []
  const guard = createIdleGuard({
    settled(settled) {
      if (settled.side === 'native')
        results.push({ label: settled.label, failed: settled.result !== 'served' })
    },
  })
  return { results, options: { guard } }
}
