import { presentation } from '#contracts/libraries.ts'
import { defineRoute } from '../define-route.ts'

export const presentLibrary = defineRoute(presentation, async ({ library }) => library)
