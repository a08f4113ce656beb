/** An instance that has died without shutting down, or that cannot reach the database. */
export interface UnknownInstance {
  readonly id: string
  readonly epoch: number
  readonly lastReportAgeS: number
}

interface AppliedChange {
  readonly epoch: number
  /** Null if the database stopped responding after it had stored the change. */
  readonly adoption: {
    readonly instances: number
    readonly adopted: number
    readonly ms: number
    readonly missing: readonly string[]
    readonly unknown: readonly UnknownInstance[]
  } | null
}

// Dozens of instances can be unknown after a rollout that killed them.
const maxNamed = 5

export const describeUnknown = (unknown: readonly UnknownInstance[], epoch: number): readonly string[] => {
  if (unknown.length === 0) return []
  const [subject, they] =
    unknown.length === 1 ? ['1 instance has', 'it'] : [`${unknown.length} instances have`, 'they']
  const ages = unknown.map(({ lastReportAgeS }) => lastReportAgeS)
  const [least, most] = [Math.min(...ages), Math.max(...ages)]
  const isBehind = unknown.some((instance) => instance.epoch < epoch)
  const ids = unknown.slice(0, maxNamed).map(({ id }) => id)
  const others = unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ''
  return [
    `${subject} not reported for ${least === most ? '' : `${least} to `}${most} s: ${ids.join(', ')}${others}; ${they} may still ${isBehind ? 'be serving an older state' : 'be running'}`,
  ]
}

export const formatShare = (adopted: number, instances: number) =>
  `${adopted} of ${instances} instance${instances === 1 ? '' : 's'}`

/** Says which instances have applied a stored change. `overview` names where to look if that is not known yet. */
export const describeApplied = ({ epoch, adoption }: AppliedChange, overview: string): readonly string[] => {
  if (adoption === null)
    return [
      `stored at epoch ${epoch}, but the database stopped responding: ${overview} shows how many instances have applied it`,
    ]
  const { adopted, instances, ms, missing, unknown } = adoption
  return [
    `applied on ${formatShare(adopted, instances)} in ${ms} ms`,
    ...(missing.length > 0 ? [`not yet: ${missing.join(', ')}`] : []),
    ...describeUnknown(unknown, epoch),
  ]
}
