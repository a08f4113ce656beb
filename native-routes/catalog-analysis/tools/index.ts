import type { Tool } from './define-tool.ts'
import { missingIdentifiers } from './missing-identifiers.ts'

/** Every tool that a model may call. */
export const tools: readonly Tool[] = [missingIdentifiers]
