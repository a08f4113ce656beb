import * as z from 'zod'
import { StructuralIssue } from '#contracts/errors.ts'
import { Id } from '#contracts/shared/primitives.ts'
import {
  describeUnbalancedSheets,
  maxIssues,
  readUnbalancedSheets,
} from '../findings/find-split-sheet-findings.ts'
import { findTrackFindings, readTrackFacts, subjectOfTrack } from '../findings/find-track-findings.ts'
import { citationsOf, selectFindings } from '../findings/order-findings.ts'
import { defineTool, Limit, maxListed } from './define-tool.ts'

const Unbalanced = z.object({ id: Id, title: z.string(), issues: z.array(StructuralIssue).max(maxIssues) })
const Incomplete = z.object({ id: Id, title: z.string(), message: z.string() })

export const splitSheets = defineTool({
  name: 'split_sheets',
  description:
    'Lists the split sheets whose shares do not balance, and the tracks whose split sheet is missing or incomplete.',
  input: z.strictObject({ limit: Limit }),
  output: z.object({
    sheets: z.int(),
    unbalancedTotal: z.int(),
    incompleteTotal: z.int(),
    unbalanced: z.array(Unbalanced).max(maxListed),
    incomplete: z.array(Incomplete).max(maxListed),
  }),
  async run(scope, { limit }) {
    const [tracks, { sheets, unbalanced }] = await Promise.all([
      readTrackFacts(scope),
      readUnbalancedSheets(scope),
    ])
    const incomplete = findTrackFindings(tracks, scope.now, ['split_sheet_incomplete'])
    const listed = { unbalanced: unbalanced.slice(0, limit), incomplete: incomplete.slice(0, limit) }
    const findings = selectFindings([...describeUnbalancedSheets(unbalanced), ...incomplete])
    const subjects = [
      ...listed.unbalanced.map((sheet) => ({ subject: subjectOfTrack(sheet) })),
      ...listed.incomplete,
    ]
    return {
      output: {
        sheets,
        unbalancedTotal: unbalanced.length,
        incompleteTotal: incomplete.length,
        unbalanced: listed.unbalanced.map(({ id, title, issues }) => ({
          id,
          title,
          issues: [...issues],
        })),
        incomplete: listed.incomplete.map(({ subject: { id, title }, message }) => ({ id, title, message })),
      },
      findings,
      citations: citationsOf([...subjects, ...findings]),
    }
  },
})
