import { describeDemotion, formatStage } from '../../model/format-state.ts'
import type { Changed } from '../api-types.ts'
import { createNotice, type Notice } from './notice.ts'

const listAdoption = ({ adoption, epoch }: Changed) => {
  if (adoption === null)
    return [
      `Stored at epoch ${epoch}, but the database stopped responding. To see which instances have applied it, open Instances.`,
    ]
  const { adopted, instances, ms, missing, unknown } = adoption
  return [
    `Applied on ${adopted} of ${instances} instance${instances === 1 ? '' : 's'} in ${ms} ms.`,
    ...(missing.length > 0 ? [`Not yet: ${missing.join(', ')}.`] : []),
    ...(unknown.length > 0
      ? [`Instances that have not reported lately: ${unknown.map(({ id }) => id).join(', ')}.`]
      : []),
  ]
}

export const describeChanged = (title: string, changed: Changed): Notice => {
  const { adoption, warnings = [], demoted = [] } = changed
  const isAdopted = adoption !== null && adoption.missing.length === 0
  return createNotice(isAdopted && warnings.length === 0 ? 'good' : 'warn', title, [
    ...listAdoption(changed),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...demoted.map((state) => `${state.scope}: ${formatStage(state)}, because ${describeDemotion(state)}.`),
  ])
}
