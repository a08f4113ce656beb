import type { Label } from '#contracts/route-table.ts'
import type { NativeResult, SettledRequest } from '#gateway/request/route-control.ts'

export const settledByNative = (
  label: Label,
  result: NativeResult,
  epoch = 1,
  durationMs = 5,
): SettledRequest => ({ side: 'native', label, epoch, result, durationMs })

/** A request that the core served in 5 ms. With `afterNative`, native was tried first and fell back after 5 ms. */
export const settledByCore = (
  label: Label,
  failed: boolean,
  { epoch = 1, afterNative = false }: { epoch?: number; afterNative?: boolean } = {},
): SettledRequest => ({
  side: 'core',
  label,
  epoch,
  failed,
  durationMs: 5,
  nativeMs: afterNative ? 5 : null,
})
