import { detail } from '#contracts/libraries.ts'
import { defineRoute } from '../define-route.ts'

export const showLibrary = defineRoute(detail, async ({ library }) => library)
