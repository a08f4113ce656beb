import type { Finding } from '#contracts/shared/catalog-findings.ts'
import type { ToolScope } from '../tools/define-tool.ts'
import { findTrackFindings } from './find-track-findings.ts'
import { readTrackFacts } from './read-track-facts.ts'

/** All findings of a catalogue, in no order. */
export const findFindings = async (scope: ToolScope): Promise<readonly Finding[]> =>
  findTrackFindings(await readTrackFacts(scope), scope.now)
