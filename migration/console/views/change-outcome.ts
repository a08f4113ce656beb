import { describeApplied } from '../../model/applied-change.ts'
import { describeDemotion, formatStage } from '../../model/format-state.ts'
import type { Changed } from '../api-types.ts'
import { createNotice, type Notice } from './notice.ts'

const toSentence = (line: string) => `${line.charAt(0).toUpperCase()}${line.slice(1)}.`

export const describeChanged = (title: string, changed: Changed): Notice => {
  const { adoption, warnings = [], demoted = [] } = changed
  const isAdopted = adoption !== null && adoption.missing.length === 0
  return createNotice(isAdopted && warnings.length === 0 ? 'good' : 'warn', title, [
    ...describeApplied(changed, 'the page Instances').map(toSentence),
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...demoted.map((state) => `${state.scope}: ${formatStage(state)}, because ${describeDemotion(state)}.`),
  ])
}
