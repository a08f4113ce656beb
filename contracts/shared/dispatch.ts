import * as z from 'zod'
import { openEnum } from './primitives.ts'

/** Who is asked to analyse a version. `media_intelligence` is the analysis service. */
export const DispatchKind = openEnum(['media_intelligence'])

export const DispatchStatus = z.enum(['queued', 'dispatched', 'running', 'succeeded', 'failed'])
