import "./tokens.css"; // written by the plugin
import "./style.css";
