import type { Instance } from './instance.ts'
import type { Fleet } from './open-fleet.ts'
import { type Period, stallMessage } from './watch-stalls.ts'

export const listStalls = (
  instances: readonly Instance[],
  { stalls }: Pick<Fleet, 'stalls'>,
): readonly Period[] => [
  ...stalls,
  ...instances.flatMap((instance) => instance.lines().filter(({ msg }) => msg === stallMessage)),
]

export const overlaps = (periods: readonly Period[], from: number, to: number) =>
  periods.some((period) => period.from < to && period.to > from)
