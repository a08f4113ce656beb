import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * Returns whether the core may be sent a request of a route that no client has sent: not if it would record an event for
 * it. A core with `CORE_HONOURS_SHADOW` records none for a request with `x-service-shadow`.
 */
export const createRepeatRule =
  ({ CORE_HONOURS_SHADOW: honoursShadow }: Pick<Settings, 'CORE_HONOURS_SHADOW'>) =>
  (label: Label): boolean =>
    honoursShadow === '1' || rowOf(label).effects !== 'events'
