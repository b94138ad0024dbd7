export { default } from 'ussd-builder';
