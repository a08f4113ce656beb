import type { Remainder } from '../run/created.ts'

const maxIds = 50

const countIds = (remainders: readonly Remainder[]) =>
  Array.from(
    Map.groupBy(remainders, ({ id }) => id),
    ([id, same]) => (same.length > 1 ? `${id} (${same.length} times)` : id),
  )

const formatIds = (ids: readonly string[]) =>
  ids.length > maxIds ? `${ids.slice(0, maxIds).join(', ')} and ${ids.length - maxIds} more` : ids.join(', ')

const formatReasons = (remainders: readonly Remainder[]) =>
  Array.from(
    Map.groupBy(remainders, ({ reason }) => reason),
    ([reason, same]) => `  ${reason}: ${formatIds(countIds(same))}`,
  )

interface RemainderLists {
  readonly remainders: readonly Remainder[]
  readonly unremoved: readonly Remainder[]
}

/** What a run leaves behind, by reason and id, as lines of text. */
export const formatRemainders = ({ remainders, unremoved }: RemainderLists) => [
  ...(remainders.length > 0 ? ['What remains:', ...formatReasons(remainders)] : []),
  ...(unremoved.length > 0 ? ['Could not be removed:', ...formatReasons(unremoved)] : []),
  ...(remainders.length + unremoved.length === 0 ? ['Everything that was created is removed.'] : []),
]
