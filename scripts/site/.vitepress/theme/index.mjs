import DefaultTheme from 'vitepress/theme';
import Recording from './recording.vue';
import 'asciinema-player/dist/bundle/asciinema-player.css';

export default { extends: DefaultTheme, enhanceApp: ({ app }) => app.component('Recording', Recording) };
