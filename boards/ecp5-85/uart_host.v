// SPDX-License-Identifier: MIT OR Apache-2.0
// The host, by UART (8N1): a command is one letter and its operands, least significant byte first.
//   W addr16 data32   write a register  -> one byte: 0 fine, else the AXI response
//   R addr16          read a register   -> data32
//   M addr32 data64   write 8 bytes of host memory -> one byte: 0
//   m addr32          read 8 bytes of host memory  -> data64
// Other letters are ignored, so that a host can resynchronise with zeros.
`default_nettype none

module uart_host #(
    parameter DIVISOR = 100,
    parameter AW = 13
) (
    input  wire          clock,
    input  wire          reset,
    input  wire          rx,
    output wire          tx,
    output reg  [15:0]   m_axil_awaddr,
    output reg           m_axil_awvalid,
    input  wire          m_axil_awready,
    output wire [31:0]   m_axil_wdata,
    output wire [3:0]    m_axil_wstrb,
    output reg           m_axil_wvalid,
    input  wire          m_axil_wready,
    input  wire          m_axil_bvalid,
    input  wire [1:0]    m_axil_bresp,
    output wire          m_axil_bready,
    output wire [15:0]   m_axil_araddr,
    output reg           m_axil_arvalid,
    input  wire          m_axil_arready,
    input  wire          m_axil_rvalid,
    input  wire [31:0]   m_axil_rdata,
    output wire          m_axil_rready,
    output reg           word_write,
    output wire [AW-1:0] word_index,
    output wire [63:0]   word_wdata,
    input  wire [63:0]   word_rdata
);

    localparam [2:0] LETTER = 3'd0, OPERANDS = 3'd1, START = 3'd2, WAIT = 3'd3, REPLY = 3'd4;
    localparam [15:0] BIT_TICKS = DIVISOR;

    // Receiver: samples the middle of each bit.
    reg [2:0]  rx_sync;
    reg [15:0] rx_ticks;
    reg [3:0]  rx_bit;
    reg [7:0]  rx_byte;
    reg        rx_valid;
    always @(posedge clock) begin
        rx_sync <= {rx_sync[1:0], rx};
        rx_valid <= 1'b0;
        if (rx_bit == 4'd0) begin
            rx_ticks <= BIT_TICKS >> 1;
            if (!rx_sync[2]) rx_bit <= 4'd1;
        end else if (rx_ticks != 16'd0) begin
            rx_ticks <= rx_ticks - 16'd1;
        end else begin
            rx_ticks <= BIT_TICKS - 16'd1;
            rx_bit <= rx_bit + 4'd1;
            if (rx_bit == 4'd1 && rx_sync[2]) rx_bit <= 4'd0;
            if (rx_bit == 4'd10) begin
                rx_bit <= 4'd0;
                rx_valid <= rx_sync[2];
            end else begin
                rx_byte <= {rx_sync[2], rx_byte[7:1]};
            end
        end
        if (reset) begin
            rx_sync <= 3'b111;
            rx_bit <= 4'd0;
            rx_valid <= 1'b0;
        end
    end

    // Transmitter: start bit, eight data bits, stop bit.
    reg [15:0] tx_ticks;
    reg [9:0]  tx_shift;
    reg [3:0]  tx_left;
    reg        tx_start;
    reg [63:0] reply;
    assign tx = tx_shift[0];
    wire tx_idle = tx_left == 4'd0 && !tx_start;
    always @(posedge clock) begin
        if (tx_start && tx_left == 4'd0) begin
            tx_shift <= {1'b1, reply[7:0], 1'b0};
            tx_left <= 4'd10;
            tx_ticks <= BIT_TICKS - 16'd1;
        end else if (tx_left != 4'd0) begin
            tx_ticks <= tx_ticks - 16'd1;
            if (tx_ticks == 16'd0) begin
                tx_ticks <= BIT_TICKS - 16'd1;
                tx_shift <= {1'b1, tx_shift[9:1]};
                tx_left <= tx_left - 4'd1;
            end
        end
        if (reset) begin
            tx_shift <= 10'h3ff;
            tx_left <= 4'd0;
        end
    end

    reg [2:0]  state;
    reg [7:0]  letter;
    reg [95:0] operands;
    reg [3:0]  left;

    // Operands come in at the top: the address stands below the data.
    wire is_register = letter == "W" || letter == "R";
    wire [3:0] reply_bytes = letter == "R" ? 4'd4 : letter == "m" ? 4'd8 : 4'd1;
    wire [31:0] address = letter == "W" ? {16'd0, operands[63:48]}
        : letter == "R" ? {16'd0, operands[95:80]}
        : letter == "M" ? operands[31:0] : operands[95:64];

    assign m_axil_araddr = m_axil_awaddr;
    assign m_axil_wdata = operands[95:64];
    assign m_axil_wstrb = 4'hf;
    assign m_axil_bready = 1'b1;
    assign m_axil_rready = 1'b1;
    assign word_index = address[AW+2:3];
    assign word_wdata = operands[95:32];

    always @(posedge clock) begin
        tx_start <= 1'b0;
        word_write <= 1'b0;
        if (m_axil_awready) m_axil_awvalid <= 1'b0;
        if (m_axil_wready) m_axil_wvalid <= 1'b0;
        if (m_axil_arready) m_axil_arvalid <= 1'b0;
        case (state)
            LETTER: if (rx_valid) begin
                letter <= rx_byte;
                state <= OPERANDS;
                case (rx_byte)
                    "W": left <= 4'd6;
                    "R": left <= 4'd2;
                    "M": left <= 4'd12;
                    "m": left <= 4'd4;
                    default: state <= LETTER;
                endcase
            end
            OPERANDS: if (rx_valid) begin
                operands <= {rx_byte, operands[95:8]};
                left <= left - 4'd1;
                if (left == 4'd1) state <= START;
            end
            START: begin
                m_axil_awaddr <= address[15:0];
                m_axil_awvalid <= letter == "W";
                m_axil_wvalid <= letter == "W";
                m_axil_arvalid <= letter == "R";
                word_write <= letter == "M";
                left <= reply_bytes;
                state <= WAIT;
            end
            WAIT: begin
                reply <= is_register ? {32'd0, m_axil_rdata} : word_rdata;
                if (letter == "W") reply <= {62'd0, m_axil_bresp};
                if (letter == "M") reply <= 64'd0;
                // A read of memory takes two cycles from START.
                if (is_register ? m_axil_bvalid || m_axil_rvalid : !word_write) state <= REPLY;
            end
            default: begin
                if (tx_idle && left != 4'd0) begin
                    tx_start <= 1'b1;
                    left <= left - 4'd1;
                end
                if (tx_start) reply <= {8'd0, reply[63:8]};
                if (tx_idle && left == 4'd0) state <= LETTER;
            end
        endcase
        if (reset) begin
            state <= LETTER;
            tx_start <= 1'b0;
            word_write <= 1'b0;
            m_axil_awvalid <= 1'b0;
            m_axil_wvalid <= 1'b0;
            m_axil_arvalid <= 1'b0;
        end
    end

    wire unused_ok = &{1'b0, address[31:AW+3], address[2:0]};

endmodule

`default_nettype wire
